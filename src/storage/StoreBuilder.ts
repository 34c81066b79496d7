/**
 * Writes a new store, log and views together, tick by tick. The file counts for nothing until it is finished.
 */
import type { RestoredMark } from '../engine/RestoredMark.js'
import type { DomainEvent } from '../log/events.js'
import type { EncodedTick } from '../log/Tick.js'
import type { Database } from './Database.js'
import { LogFold } from './LogFold.js'
import { writeMark } from './readMark.js'
import { SqliteTicks, ticksSchema } from './SqliteTicks.js'
import { openWritable } from './sqlite/openWritable.js'
import { assertStoreFile, formatStamp } from './storeFormat.js'
import { StoredViews, viewsSchema } from './StoredViews.js'

/** How many events a store's file holds; none in a store that was opened but never started. */
export const eventsInStoreFile = (file: string): number => {
  assertStoreFile(file)
  const db = openWritable(file)
  try {
    db.exec(ticksSchema)
    return new SqliteTicks(db).head().revision + 1
  } finally {
    db.close()
  }
}

export class StoreBuilder {
  readonly #db: Database
  readonly #log: SqliteTicks
  readonly #fold: LogFold

  constructor(file: string) {
    this.#db = openWritable(file)
    try {
      // Nothing has to be synced before the end: closing the file syncs it as one.
      this.#db.exec(`PRAGMA synchronous = OFF; ${ticksSchema} ${viewsSchema} ${formatStamp}`)
      this.#log = new SqliteTicks(this.#db)
      this.#fold = new LogFold(new StoredViews(this.#db))
      this.#db.exec('BEGIN IMMEDIATE')
    } catch (error) {
      this.#db.close()
      throw error
    }
  }

  /** Folds the events of a tick that was checked and decoded. Throws when it contradicts the ticks before it. */
  fold(tick: EncodedTick, events: readonly DomainEvent[]): void {
    this.#fold.foldEvents(tick, events)
  }

  /** Adds a tick to the log, once it was folded. */
  append(tick: EncodedTick): void {
    this.#log.insert(tick)
    if (!this.#fold.isFull) return
    this.#fold.write()
    this.#db.exec('COMMIT; BEGIN IMMEDIATE')
    this.#fold.committed()
  }

  finish(mark?: RestoredMark): void {
    this.#fold.write()
    if (mark !== undefined) writeMark(this.#db, mark)
    this.#db.exec('COMMIT')
    this.#db.exec('PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)')
  }

  close(): void {
    this.#db.close()
  }
}
