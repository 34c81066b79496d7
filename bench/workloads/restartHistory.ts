/**
 * A restart after a long life: there should be nothing to do for anything that has happened.
 */
import { historyStore } from '../keptStores.js'
import { inOwnProcess } from '../restarted.js'
import { context, fullDurability, less, noSeed, type Workload } from '../Workload.js'

export const restartHistory: Workload = {
  name: 'restart-history',
  measures:
    'A new process on a store with 10,000,000 events of fired activities: from the call of startNode, and from the start of the process, until the node is ready; its memory then.',
  doesNotMeasure:
    'A log elsewhere, from which the views may have to catch up; a page cache that has let go of the store.',
  durability: fullDurability,
  seed: noSeed,
  repetitions: 3,
  run: async (bench) => {
    const events = bench.quick ? 300 : 10_000_000
    // In place, for a copy would take longer than all else; a start adds two events to it.
    const store = await historyStore(bench, events)
    const { startMs, sinceProcessStartMs, rssMB } = await inOwnProcess('ready', store)
    return {
      'startNode until ready': less(startMs, 'ms'),
      'process until ready': less(sinceProcessStartMs, 'ms'),
      memory: less(rssMB, 'MB RSS'),
      events: context(events, 'events'),
    }
  },
}
