/**
 * Scheduling states a hundred a transaction.
 */
import { startNode } from 'carillon'
import { HeldClock } from '../HeldClock.js'
import { farMs, layOut, pulseApp } from '../pulseApp.js'
import { fullDurability, more, noSeed, type Workload } from '../Workload.js'

export const produceBulk: Workload = {
  name: 'produce-bulk',
  measures:
    'States with an activity, 100 a transaction, produced by flows of up to 100 transactions, four at a time, until the last is durable.',
  doesNotMeasure: 'A network between client and node; contracts beyond "participants sign".',
  durability: fullDurability,
  seed: noSeed,
  repetitions: 3,
  warmUps: 1,
  run: async ({ quick, folder }) => {
    const count = quick ? 300 : 100_000
    const clock = new HeldClock()
    const node = await startNode({ app: pulseApp, store: folder, clock })
    const startedMs = performance.now()
    await layOut(node, { count, dueAt: clock.after(farMs) })
    const tookMs = performance.now() - startedMs
    await node.stop()
    return { states: more((count / tookMs) * 1_000, 'states/s') }
  },
}
