/**
 * A log of more and more events: folded into fresh views, and started upon.
 */
import { LogBackedStore, SqliteLog } from 'carillon/logs'
import { historyLog, historyStore } from '../keptStores.js'
import { inOwnProcess } from '../restarted.js'
import { median } from '../statistics.js'
import type { Sweep } from './Sweep.js'

export const byEvents: Sweep = {
  name: 'events',
  of: 'events in the log',
  charts: {
    'replay-by-events': { title: 'Folding one event when all of so many are', unit: 'µs', series: ['folded'] },
    'ready-by-events': { title: 'startNode until ready, after so many', unit: 'ms', series: ['ready'] },
  },
  async *points(bench, sizes) {
    for (const size of sizes) {
      const file = await historyLog(bench, size)
      const startedMs = performance.now()
      const store = await LogBackedStore.open(SqliteLog.openReadOnly(file))
      const tookMs = performance.now() - startedMs
      const events = store.head().revision + 1
      await store.close()
      const ready: number[] = []
      for (let round = 0; round < (bench.quick ? 1 : 3); round++)
        ready.push((await inOwnProcess('ready', await historyStore(bench, size))).startMs)
      yield {
        size,
        values: {
          'replay-by-events': { folded: (tookMs / events) * 1_000 },
          'ready-by-events': { ready: median(ready) },
        },
      }
    }
  },
}
