/**
 * Verifying a whole log, as `carillon log verify` does.
 */
import { SqliteLog, verifyLog } from 'carillon/logs'
import { historyLog } from '../keptStores.js'
import { context, more, noSeed, type Workload } from '../Workload.js'

export const verify: Workload = {
  name: 'verify',
  measures: 'Reading a log of 1,000,000 events of fired activities and checking every hash, id and signature in it.',
  doesNotMeasure: 'Logs with few events a tick, where the signature of each tick counts; decoding every event.',
  durability: 'none: the log is only read',
  seed: noSeed,
  repetitions: 1,
  run: async (bench) => {
    const file = await historyLog(bench, bench.quick ? 300 : 1_000_000)
    const log = SqliteLog.openReadOnly(file)
    const startedMs = performance.now()
    const before = process.cpuUsage()
    const { events, transactions, problems } = await verifyLog(log.read(0))
    const { user, system } = process.cpuUsage(before)
    const tookMs = performance.now() - startedMs
    await log.close()
    if (problems.length > 0) throw new Error(`The log does not verify: ${problems[0]?.what ?? ''}`)
    return {
      verified: more((events / tookMs) * 1_000, 'events/s'),
      'verified, by processor time': more((events / (user + system)) * 1_000_000, 'events/s'),
      events: context(events, 'events'),
      transactions: context(transactions, 'transactions'),
    }
  },
}
