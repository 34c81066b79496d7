/**
 * Memory of a node while many activities are pending.
 */
import { join } from 'node:path'
import { storeWithPending } from '../keptStores.js'
import { inOwnProcess } from '../restarted.js'
import { fullDurability, less, noSeed, type Figure, type Workload } from '../Workload.js'

export const memoryPending: Workload = {
  name: 'memory-pending',
  measures:
    'What a new process on a store with 110,000 and with 1,000,000 pending activities has in memory when it has been ready and idle for 5 seconds.',
  doesNotMeasure: 'A node at work, whose collector of garbage lets memory grow before it tidies up; the page cache.',
  durability: fullDurability,
  seed: noSeed,
  repetitions: 3,
  run: async (bench) => {
    const figures: Record<string, Figure> = {}
    for (const [label, count] of Object.entries({ '110,000': 110_000, '1,000,000': 1_000_000 })) {
      const store = await storeWithPending(bench, bench.quick ? count / 1_000 : count, join(bench.folder, label))
      const { rssMB } = await inOwnProcess('idle', store, bench.quick ? 50 : 5_000)
      figures[`with ${label} pending`] = less(rssMB, 'MB RSS')
    }
    return figures
  },
}
