import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { Belfry } from './belfry.js'

type Target = { readonly expr: string }
type Dashboard = { readonly panels: readonly { readonly title: string; readonly targets: readonly Target[] }[] }

/** A metric in a query, with the labels it is asked for. */
const selected = /(carillon_[a-z_]+)(?:\{([^}]*)\})?/g

describe('the Grafana dashboard', () => {
  const { panels } = JSON.parse(readFileSync('docs/grafana/carillon.json', 'utf8')) as Dashboard
  const queries = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })))
  let belfry: Belfry
  let metrics: string

  before(async () => {
    belfry = await Belfry.open()
    // A tick after the server has begun to count.
    await belfry.virtual.advanceBy({ minutes: 90 })
    metrics = String((await belfry.ask('/api/v1/metrics')).body['text'])
  })
  after(() => belfry.close())

  it('asks, in each of its queries, for metrics that a node has, by labels they have', () => {
    expect(queries.length).to.be.greaterThan(12)
    for (const { title, expr } of queries) {
      const found = [...expr.matchAll(selected)]
      expect(found, title).not.to.be.empty
      for (const [, name = '', labels = ''] of found) {
        const lines = metrics.split('\n').filter((line) => line.startsWith(`${name}{`))
        expect(lines, `${title}: ${name}`).not.to.be.empty
        for (const [, label = ''] of labels.matchAll(/(\w+)=~?"/g))
          expect(lines[0], `${title}: ${name} by ${label}`).to.match(new RegExp(`[{,]${label}="`))
      }
    }
  })

  it('shows every metric of a node, and the reference lists them all', () => {
    const page = readFileSync('docs/reference/metrics.md', 'utf8')
    const names = [...metrics.matchAll(/^# TYPE (carillon_\w+) /gm)].map(([, name = '']) => name)
    expect(names.length).to.be.greaterThan(14)
    for (const name of names) {
      expect(page, `${name} in the reference`).to.contain(`\`${name}\``)
      expect(
        queries.some(({ expr }) => expr.includes(name)),
        `${name} on the dashboard`,
      ).to.be.true
    }
  })
})
