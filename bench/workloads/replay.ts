/**
 * Folding a whole log into fresh views, as a rebuild does.
 */
import { LogBackedStore, SqliteLog } from 'carillon/logs'
import { historyLog } from '../keptStores.js'
import { context, more, noSeed, type Workload } from '../Workload.js'

export const replay: Workload = {
  name: 'replay',
  measures: 'Reading, decoding and folding a log of 1,000,000 events of fired activities into views in memory.',
  doesNotMeasure: 'Verifying hashes and signatures; views on the disk; flows with long records.',
  durability: 'none: the log is only read, and the views are in memory',
  seed: noSeed,
  repetitions: 1,
  run: async (bench) => {
    const file = await historyLog(bench, bench.quick ? 300 : 1_000_000)
    const startedMs = performance.now()
    const store = await LogBackedStore.open(SqliteLog.openReadOnly(file))
    const tookMs = performance.now() - startedMs
    const events = store.head().revision + 1
    await store.close()
    return { folded: more((events / tookMs) * 1_000, 'events/s'), events: context(events, 'events') }
  },
}
