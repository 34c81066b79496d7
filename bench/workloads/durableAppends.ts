/**
 * How much of the disk's own speed is left when ticks go through the log and through the embedded store.
 */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { EmbeddedStore, SqliteLog, type EncodedTick } from 'carillon/logs'
import { appendAll, plainTicks } from '../plainTicks.js'
import { fullDurability, less, more, noSeed, type Workload } from '../Workload.js'

const eventBytes = 300
const eventsPerTick = 100
const shape = { eventBytes, eventsPerTick }

const timed = async (work: () => Promise<void>): Promise<number> => {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

const throughFile = async (file: string, ticks: readonly EncodedTick[]): Promise<number> => {
  const opened = openSync(file, 'a')
  try {
    return await timed(() => {
      for (const tick of ticks) {
        writeSync(opened, tick.events.join('\n'))
        fdatasyncSync(opened)
      }
      return Promise.resolve()
    })
  } finally {
    closeSync(opened)
  }
}

const throughLog = async (file: string, count: number): Promise<number> => {
  const log = SqliteLog.open(file)
  try {
    const head = await log.head()
    const ticks = plainTicks(head, count, shape)
    return await timed(() => appendAll(log, head, ticks))
  } finally {
    await log.close()
  }
}

const throughStore = async (file: string, count: number): Promise<number> => {
  const store = EmbeddedStore.open(file)
  try {
    const ticks = plainTicks(store.head(), count, shape)
    return await timed(() => {
      for (const tick of ticks) {
        store.begin()
        const outcome = store.commit(tick)
        if (outcome.kind !== 'appended') throw new Error(`Tick ${tick.number} was ${outcome.kind}.`)
      }
      return Promise.resolve()
    })
  } finally {
    await store.close()
  }
}

export const durableAppends: Workload = {
  name: 'durable-appends',
  measures: `Ticks of ${eventsPerTick} events of ${eventBytes} bytes, one after the other, through SqliteLog and EmbeddedStore; and the same bytes, tick by tick, into a plain file with fdatasync.`,
  doesNotMeasure: 'Deciding, encoding, hashing and folding: the ticks are made beforehand and mean nothing.',
  durability: fullDurability,
  seed: noSeed,
  repetitions: 3,
  run: async ({ quick, folder }) => {
    const count = quick ? 10 : 1_000
    const empty = EmbeddedStore.inMemory()
    const raw = await throughFile(join(folder, 'raw'), plainTicks(empty.head(), count, shape))
    await empty.close()
    const log = await throughLog(join(folder, 'log.db'), count)
    const store = await throughStore(join(folder, 'store.db'), count)
    const events = count * eventsPerTick
    return {
      'raw file': more((events / raw) * 1_000, 'events/s'),
      SqliteLog: more((events / log) * 1_000, 'events/s'),
      EmbeddedStore: more((events / store) * 1_000, 'events/s'),
      'SqliteLog over raw file': less(log / raw, '×'),
      'EmbeddedStore over raw file': less(store / raw, '×'),
    }
  },
}
