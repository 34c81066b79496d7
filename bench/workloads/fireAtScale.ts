/**
 * Whether firing costs more when a million other activities are pending.
 */
import { join } from 'node:path'
import { startNode } from 'carillon'
import { fireAll } from '../fireAll.js'
import { HeldClock } from '../HeldClock.js'
import { storeWithPending } from '../keptStores.js'
import { layOut, pulseApp } from '../pulseApp.js'
import { fullDurability, less, noSeed, type Bench, type Workload } from '../Workload.js'

const leadMs = 50

const costPerFired = async (bench: Bench, pending: number, fired: number): Promise<number> => {
  const store = await storeWithPending(bench, pending, join(bench.folder, `pending-${pending}`))
  const clock = new HeldClock()
  const node = await startNode({ app: pulseApp, store, clock })
  await layOut(node, { count: fired, dueAt: clock.after(leadMs) })
  const { endedAfterMs } = await fireAll(node, clock, fired)
  await node.stop()
  return (Math.max(...endedAfterMs) / fired) * 1_000
}

export const fireAtScale: Workload = {
  name: 'fire-at-scale',
  measures:
    'Cost per fired activity in a burst of 5,000, with 1,000 and with 1,000,000 other activities pending far ahead.',
  doesNotMeasure: 'A cold page cache: the store has just been copied.',
  durability: fullDurability,
  seed: noSeed,
  repetitions: 3,
  warmUps: 1,
  run: async (bench) => {
    const [few, many, fired] = bench.quick ? [10, 200, 50] : [1_000, 1_000_000, 5_000]
    const withFew = await costPerFired(bench, few, fired)
    const withMany = await costPerFired(bench, many, fired)
    return {
      'few pending': less(withFew, 'µs/activity'),
      'many pending': less(withMany, 'µs/activity'),
      'many over few': less(withMany / withFew, '×'),
    }
  },
}
