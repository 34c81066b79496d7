/**
 * A restart with a million activities pending: there should be nothing to do for any of them.
 */
import { join } from 'node:path'
import { storeWithPending } from '../keptStores.js'
import { inOwnProcess } from '../restarted.js'
import { fullDurability, less, noSeed, type Workload } from '../Workload.js'

export const restartPending: Workload = {
  name: 'restart-pending',
  measures:
    'A new process on a store with 1,000,000 pending activities: from the call of startNode, and from the start of the process, until the node is ready; its memory then.',
  doesNotMeasure: 'A cold page cache: the store has just been copied.',
  durability: fullDurability,
  seed: noSeed,
  repetitions: 3,
  run: async (bench) => {
    const count = bench.quick ? 200 : 1_000_000
    const store = await storeWithPending(bench, count, join(bench.folder, 'store'))
    const { startMs, sinceProcessStartMs, rssMB } = await inOwnProcess('ready', store)
    return {
      'startNode until ready': less(startMs, 'ms'),
      'process until ready': less(sinceProcessStartMs, 'ms'),
      memory: less(rssMB, 'MB RSS'),
    }
  },
}
