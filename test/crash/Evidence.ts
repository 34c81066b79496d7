/**
 * What a crash campaign left behind, read but not yet judged: the log, the clients' notes, the outside effects, and what
 * projections made of it.
 */
import { SqliteLog } from '../../src/logs/sqlite/SqliteLog.js'
import { decodeEvent } from '../../src/log/decodeEvent.js'
import type { DomainEvent } from '../../src/log/events.js'
import type { EncodedTick } from '../../src/log/Tick.js'
import { storeFiles } from '../../src/folder/StoreFolder.js'
import { toMillis } from '../../src/time/Instant.js'
import {
  campaignFiles,
  ClientLineC,
  CountLineC,
  EffectC,
  readLines,
  type ClientLine,
  type CountLine,
  type Effect,
} from './campaignLines.js'

export type LoggedEvent = { readonly event: DomainEvent; readonly revision: number; readonly atMs: number }

export type Evidence = {
  readonly ticks: readonly EncodedTick[]
  readonly events: readonly LoggedEvent[]
  readonly clients: readonly ClientLine[]
  readonly effects: readonly Effect[]
  readonly counts: readonly CountLine[]
}

export const eventsOf = (ticks: readonly EncodedTick[]): readonly LoggedEvent[] =>
  ticks.flatMap((tick) =>
    tick.events.map((line, index) => {
      const revision = tick.firstRevision + index
      return { event: decodeEvent(line, revision), revision, atMs: toMillis(tick.at) }
    }),
  )

export const readEvidence = async (folder: string): Promise<Evidence> => {
  const files = campaignFiles(folder)
  const log = SqliteLog.openReadOnly(storeFiles(files.store).database)
  const ticks: EncodedTick[] = []
  try {
    for await (const tick of log.read(0)) ticks.push(tick)
  } finally {
    await log.close()
  }
  return {
    ticks,
    events: eventsOf(ticks),
    clients: readLines(files.clients, ClientLineC),
    effects: readLines(files.effects, EffectC),
    counts: readLines(files.counts, CountLineC),
  }
}
