/**
 * A projection that has everything to take in: how fast it does, against the node itself.
 */
import { defineApp, startNode } from 'carillon'
import { LogBackedStore, SqliteLog } from 'carillon/logs'
import { defineProjection } from 'carillon/projections'
import { HeldClock } from '../HeldClock.js'
import { historyLog, historyStore } from '../keptStores.js'
import { Fire, Produce, Pulse } from '../pulseApp.js'
import { context, more, noSeed, type Workload } from '../Workload.js'

const Outcomes = defineProjection({
  name: 'bench/Outcomes',
  store: 'memory',
  init: (): Record<string, number> => ({}),
  evolve: (counts, { type }) => {
    counts[type] = (counts[type] ?? 0) + 1
    return counts
  },
})

const app = defineApp({ name: 'bench', states: [Pulse], flows: [Fire, Produce], projections: [Outcomes] })

export const catchUp: Workload = {
  name: 'catch-up',
  measures:
    'A projection in memory over a log of 1,000,000 events of fired activities, from the call of startNode until it has caught up; and the same log folded into views in memory, as the node does it.',
  doesNotMeasure: 'Projections that are saved; a node that works meanwhile.',
  durability: 'none: the log is only read, and the result is in memory',
  seed: noSeed,
  repetitions: 1,
  run: async (bench) => {
    const size = bench.quick ? 300 : 1_000_000
    const views = SqliteLog.openReadOnly(await historyLog(bench, size))
    const foldMs = performance.now()
    const store = await LogBackedStore.open(views)
    const foldedMs = performance.now() - foldMs
    await store.close()
    const folder = await historyStore(bench, size)
    const startedMs = performance.now()
    const node = await startNode({ app, store: folder, clock: new HeldClock() })
    const { revision } = node.head
    await node.projection(Outcomes).readAt(revision)
    const tookMs = performance.now() - startedMs
    await node.stop()
    return {
      projected: more((revision / tookMs) * 1_000, 'events/s'),
      'against the rate of the node': more(foldedMs / tookMs, 'times'),
      events: context(revision + 1, 'events'),
    }
  },
}
