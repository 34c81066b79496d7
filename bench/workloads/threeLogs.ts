/**
 * The same work on the three logs, side by side in one run: SQLite, PostgreSQL and EventStoreDB.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { startNode } from 'carillon'
import { LogBackedStore, openLog, SqliteLog, type EventLog } from 'carillon/logs'
import { withEventStoreDb } from '../eventStoreDb.js'
import { fireAll } from '../fireAll.js'
import { HeldClock } from '../HeldClock.js'
import { appendAll, plainTicks } from '../plainTicks.js'
import { withPostgres } from '../postgres.js'
import { layOut, pulseApp } from '../pulseApp.js'
import { more, noSeed, type Figures, type Workload } from '../Workload.js'

const leadMs = 50
const shape = { eventBytes: 300, eventsPerTick: 1 }

/** One of the three: a log to append to, and a node that keeps its log there. */
type Place = {
  readonly name: string
  /** An empty log; another one each time. */
  readonly open: (name: string) => Promise<EventLog>
  /** What a node is told about its log; nothing when its store holds it. */
  readonly nodeLog: (name: string) => { readonly log?: string }
  /** The log of a node that has stopped. */
  readonly openAgain: (name: string, store: string) => Promise<EventLog>
}

/** Appends a second, one after the other. */
const appends = async ({ open }: Place, name: string, count: number): Promise<number> => {
  const log = await open(name)
  try {
    const head = await log.head()
    const ticks = plainTicks(head, count, shape)
    const startedMs = performance.now()
    await appendAll(log, head, ticks)
    return (count / (performance.now() - startedMs)) * 1_000
  } finally {
    await log.close()
  }
}

/** Activities fired a second. */
const burst = async ({ nodeLog }: Place, name: string, store: string, count: number): Promise<number> => {
  const clock = new HeldClock()
  const node = await startNode({ app: pulseApp, store, clock, ...nodeLog(name) })
  await layOut(node, { count, dueAt: clock.after(leadMs) })
  const { endedAfterMs } = await fireAll(node, clock, count)
  await node.stop()
  return (count / Math.max(...endedAfterMs)) * 1_000
}

/** Events read a second, and events folded into fresh views a second. */
const replay = async ({ openAgain }: Place, name: string, store: string): Promise<{ read: number; folded: number }> => {
  const log = await openAgain(name, store)
  let events = 0
  const readFromMs = performance.now()
  for await (const tick of log.read(0)) events += tick.events.length
  const read = (events / (performance.now() - readFromMs)) * 1_000
  const foldedFromMs = performance.now()
  // Closes the log, too.
  await (await LogBackedStore.open(log)).close()
  return { read, folded: (events / (performance.now() - foldedFromMs)) * 1_000 }
}

const measure = async (place: Place, folder: string, quick: boolean): Promise<Figures> => {
  const [ticks, activities] = quick ? [10, 50] : [1_000, 10_000]
  const name = (of: string): string => `bench_${of}_${randomBytes(6).toString('hex')}`
  const store = join(folder, place.name)
  // Once before it counts: a node that serves has long been compiled.
  if (!quick) {
    await appends(place, name('warm'), ticks)
    await burst(place, name('warm'), join(folder, `${place.name} warm`), activities)
  }
  const appended = await appends(place, name('appends'), ticks)
  const fired = name('burst')
  const burstPace = await burst(place, fired, store, activities)
  const { read, folded } = await replay(place, fired, store)
  return {
    [`${place.name}: appended`]: more(appended, 'appends/s'),
    [`${place.name}: fired`]: more(burstPace, 'activities/s'),
    [`${place.name}: read`]: more(read, 'events/s'),
    [`${place.name}: replayed`]: more(folded, 'events/s'),
  }
}

const onServer = (name: string, address: (log: string) => string): Place => ({
  name,
  open: (log) => openLog(address(log)),
  nodeLog: (log) => ({ log: address(log) }),
  openAgain: (log) => openLog(address(log)),
})

const onSqlite = (folder: string): Place => ({
  name: 'SQLite',
  open: (log) => Promise.resolve(SqliteLog.open(join(folder, `${log}.db`))),
  nodeLog: () => ({}),
  openAgain: (_, store) => Promise.resolve(SqliteLog.openReadOnly(join(store, 'carillon.db'))),
})

export const threeLogs: Workload = {
  name: 'three-logs',
  measures:
    '1,000 ticks of one event appended one after the other, the burst of fire-burst, and reading and replaying the log of that burst, on SQLite, PostgreSQL and EventStoreDB.',
  doesNotMeasure: 'A network between the node and its server. Without ESDB_URL, EventStoreDB itself: see durability.',
  durability:
    'SQLite and PostgreSQL sync every commit. EventStoreDB is as ESDB_URL has it; without ESDB_URL it is the test server, which keeps everything in memory and shows only what the adapter costs',
  seed: noSeed,
  repetitions: 3,
  run: ({ quick, folder }) =>
    withPostgres((postgres) =>
      withEventStoreDb(async (eventStoreDb) => ({
        ...(await measure(onSqlite(folder), folder, quick)),
        ...(await measure(
          onServer('PostgreSQL', (log) => `${postgres}?schema=${log}`),
          folder,
          quick,
        )),
        ...(await measure(
          onServer('EventStoreDB', (log) => `${eventStoreDb}&stream=${log}`),
          folder,
          quick,
        )),
      })),
    ),
}
