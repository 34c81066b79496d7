/**
 * How much of the disk's own speed is left when ticks go through the log and through the embedded store.
 */
import { createHash } from 'node:crypto'
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { isLeft } from 'fp-ts/lib/Either.js'
import { EmbeddedStore, HashC, instantFromMillis, SqliteLog, type EncodedTick, type Head } from 'carillon'
import { fullDurability, less, more, noSeed, type Workload } from '../Workload.js'

const eventBytes = 300
const eventsPerTick = 100

const ticksAfter = (head: Head, count: number): readonly EncodedTick[] => {
  const events = Array.from({ length: eventsPerTick }, (_, index) => String(index).padEnd(eventBytes, '.'))
  return Array.from({ length: count }, (_, index) => {
    const number = head.tick + 1 + index
    const hash = HashC.decode(createHash('sha256').update(`tick ${number}`).digest('hex'))
    if (isLeft(hash)) throw new Error('A SHA-256 digest in hex is not a hash for Carillon.')
    return {
      number,
      firstRevision: head.revision + 1 + index * eventsPerTick,
      at: instantFromMillis(1_767_225_600_000 + number),
      events,
      hash: hash.right,
      signature: `${'A'.repeat(86)}==`,
    }
  })
}

const headOf = (tick: EncodedTick): Head => ({
  tick: tick.number,
  revision: tick.firstRevision + tick.events.length - 1,
  hash: tick.hash,
  signature: tick.signature,
})

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
    let head = await log.head()
    const ticks = ticksAfter(head, count)
    return await timed(async () => {
      for (const tick of ticks) {
        const outcome = await log.append(head, tick)
        if (outcome.kind !== 'appended') throw new Error(`Tick ${tick.number} was ${outcome.kind}.`)
        head = headOf(tick)
      }
    })
  } finally {
    await log.close()
  }
}

const throughStore = async (file: string, count: number): Promise<number> => {
  const store = EmbeddedStore.open(file)
  try {
    const ticks = ticksAfter(store.head(), count)
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
    const raw = await throughFile(join(folder, 'raw'), ticksAfter(empty.head(), count))
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
