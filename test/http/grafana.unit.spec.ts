import { readFileSync } from 'node:fs'
import { expect } from 'chai'

describe('the Grafana dashboard', () => {
  it('asks only for metrics that the reference lists', () => {
    const text = readFileSync('docs/grafana/carillon.json', 'utf8')
    const page = readFileSync('docs/reference/metrics.md', 'utf8')
    const asked = new Set([...text.matchAll(/carillon_[a-z_]+/g)].map(([name]) => name.replace(/_bucket$/, '')))
    expect(asked.size).to.be.greaterThan(8)
    for (const name of asked) expect(page, name).to.contain(`\`${name}\``)
  })
})
