/** The alerts for Prometheus ask for what a node tells, and cover what an operator must be told. */
import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { Belfry } from './belfry.js'

type Rule = {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}
const { groups } = parse(readFileSync('docs/production/carillon.rules.yml', 'utf8')) as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[]
}
const rules = groups.flatMap((group) => group.rules)

/** Metrics, with the labels that select among their values. */
const selected = /\b(carillon_\w+)(?:\{([^}]*)\})?/g

/** Told by a process that stands by, and so by none here; the reference names it. */
const ofStandbys = new Set(['carillon_leader_silent_seconds'])

describe('The alerts for Prometheus', () => {
  let belfry: Belfry
  let metrics = ''
  before(async () => {
    belfry = await Belfry.open()
    // A tick after the server has begun to count.
    await belfry.virtual.advanceBy({ minutes: 90 })
    metrics = String((await belfry.ask('/api/v1/metrics')).body['text'])
  })
  after(() => belfry.close())

  it('ask for metrics that a node has, with values that their labels take', () => {
    for (const { alert, expr } of rules)
      for (const [, name = '', labels = ''] of expr.matchAll(selected)) {
        if (ofStandbys.has(name)) {
          expect(readFileSync('docs/reference/metrics.md', 'utf8'), alert).to.contain(`\`${name}\``)
          continue
        }
        const lines = metrics.split('\n').filter((line) => line.startsWith(`${name}{`))
        expect(lines, `${alert}: ${name}`).not.to.be.empty
        for (const [label] of labels.matchAll(/\w+="[^"]*"/g))
          expect(
            lines.some((line) => line.includes(label)),
            `${alert}: ${name} with ${label}`,
          ).to.equal(true)
      }
  })

  it('say for each what is wrong, how bad it is, and where to look', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).to.equal(rules.length)
    for (const { alert, labels, annotations } of rules) {
      expect(labels['severity'], alert).to.be.oneOf(['page', 'ticket'])
      expect(annotations, alert).to.have.keys('summary', 'look')
    }
  })

  it('cover what is missed, parked, left unconsumed, late, overdue, without a leader and not recorded', () => {
    const asked = rules.map(({ expr }) => expr).join('\n')
    for (const metric of [
      'carillon_activities{standing="missed"}',
      'carillon_activities{standing="parked"}',
      'carillon_activities{standing="unconsumed"}',
      'carillon_flows{status="parked"}',
      'carillon_lateness_seconds_bucket',
      'carillon_activities_due',
      'carillon_leading',
      'carillon_leader_silent_seconds',
      'carillon_trouble',
    ])
      expect(asked).to.contain(metric)
  })

  it('are all explained on the page about them', () => {
    const page = readFileSync('docs/how-to/watch-and-alert.md', 'utf8')
    for (const { alert } of rules) expect(page).to.contain(`\`${alert}\``)
  })
})
