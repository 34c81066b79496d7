/**
 * Following the log: how late a subscriber hears of an event, and what subscribers cost those who are not waiting for them.
 */
import { join } from 'node:path'
import { instant, startNode, type Node } from 'carillon'
import { farMs, Produce, pulseApp } from '../pulseApp.js'
import { quantile } from '../statistics.js'
import { fullDurability, less, noSeed, type Bench, type Figures, type Workload } from '../Workload.js'

const dueAt = instant('2999-01-01T00:00:00.000Z')

/** One flow after the other, and how long each took. */
const produceOneByOne = async (node: Node, count: number, everyMs: number): Promise<readonly number[]> => {
  const tookMs: number[] = []
  for (let number = 0; number < count; number++) {
    const startedMs = performance.now()
    await node.run(Produce, { first: number, count: 1, statesPerTransaction: 1, dueAt, apartMs: 0, everyMs: farMs })
    tookMs.push(performance.now() - startedMs)
    const restMs = everyMs - (performance.now() - startedMs)
    if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs))
  }
  return tookMs
}

const subscribed = async (bench: Bench, subscribers: number): Promise<Figures> => {
  const count = bench.quick ? 20 : 2_000
  const node = await startNode({ app: pulseApp, store: join(bench.folder, `with-${subscribers}`) })
  const lagMs: number[] = []
  const committedMs = new Map<number, number>()
  node.follow((committed) => committedMs.set(committed.lastRevision, performance.now()))
  const subscriptions = Array.from({ length: subscribers }, () =>
    node.subscribe({
      from: 'present',
      types: ['FlowEnded'],
      on: ({ revision }) => {
        const at = committedMs.get(revision)
        if (at !== undefined) lagMs.push(performance.now() - at)
      },
    }),
  )
  const tookMs = await produceOneByOne(node, count, bench.quick ? 0 : 3)
  for (const subscription of subscriptions) subscription.close()
  await node.stop()
  const label = `with ${subscribers} subscribers`
  return {
    [`a flow, median, ${label}`]: less(quantile(tookMs, 0.5), 'ms'),
    [`a flow, p99, ${label}`]: less(quantile(tookMs, 0.99), 'ms'),
    ...(lagMs.length === 0 ? {} : { [`lag, p99, ${label}`]: less(quantile(lagMs, 0.99), 'ms') }),
  }
}

export const subscribers: Workload = {
  name: 'subscribers',
  measures:
    'Flows of one transaction one after the other, about 1,000 events a second: how long each takes without subscribers, with one and with a hundred; and how long after the commit a subscriber is called.',
  doesNotMeasure: 'What subscribers do with an event; streams over HTTP.',
  durability: fullDurability,
  seed: noSeed,
  repetitions: 1,
  run: async (bench) => {
    const figures: Figures[] = []
    for (const number of [0, 1, 100]) figures.push(await subscribed(bench, number))
    const measured = Object.assign({}, ...figures) as Figures
    const median = (label: string): number => measured[`a flow, median, ${label}`]?.value ?? Number.NaN
    const cost = median('with 100 subscribers') / median('with 0 subscribers') - 1
    return { ...measured, 'cost of 100 subscribers': less(cost * 100, '% of a flow') }
  },
}
