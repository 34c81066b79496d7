/**
 * A restart after a long life: there should be nothing to do for anything that has happened.
 */
import { historyStore } from '../keptStores.js'
import { inOwnProcess } from '../restarted.js'
import { fullDurability, inWords, less, noSeed, sizesUpTo, type Figure, type Workload } from '../Workload.js'

export const restartHistory: Workload = {
  name: 'restart-history',
  measures:
    'A new process on a store with 1,000,000 events of fired activities, and ten times as many up to --largest: from the call of startNode, and from the start of the process, until the node is ready; its memory then.',
  doesNotMeasure:
    'A log elsewhere, from which the views may have to catch up; a page cache that has let go of the store.',
  durability: fullDurability,
  seed: noSeed,
  repetitions: 3,
  // So that the page cache has the store, whenever it was made.
  warmUps: 1,
  run: async (bench) => {
    const figures: Record<string, Figure> = {}
    for (const events of bench.quick ? [300] : sizesUpTo(bench, 1_000_000)) {
      // In place, for a copy would take longer than all else; a start adds two events to it.
      const store = await historyStore(bench, events)
      const { startMs, sinceProcessStartMs, rssMB } = await inOwnProcess('ready', store)
      const after = `after ${inWords(events)} events`
      figures[`startNode until ready, ${after}`] = less(startMs, 'ms')
      figures[`process until ready, ${after}`] = less(sinceProcessStartMs, 'ms')
      figures[`memory, ${after}`] = less(rssMB, 'MB RSS')
    }
    return figures
  },
}
