/**
 * The table that holds a log in SQLite: one row a tick, keyed by the tick's number. Rows are only ever added.
 */
import { HashC } from '../encoding/hash.js'
import { CarillonError } from '../errors/CarillonError.js'
import type { Guard } from './sqlite/CommitThread.js'
import { instantFromMillis, toMillis } from '../time/Instant.js'
import type { Database, SqlRow, Statement } from './Database.js'
import { emptyHead, eventsOf, linesOf, type EncodedTick, type Head } from '../log/Tick.js'

export const ticksSchema = `
  CREATE TABLE IF NOT EXISTS log_ticks (
    tick INTEGER PRIMARY KEY,
    first_revision INTEGER NOT NULL,
    count INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    hash TEXT NOT NULL,
    signature TEXT NOT NULL,
    events TEXT NOT NULL
  ) STRICT;
  CREATE TRIGGER IF NOT EXISTS log_ticks_are_never_changed BEFORE UPDATE ON log_ticks BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
  CREATE TRIGGER IF NOT EXISTS log_ticks_are_never_replaced BEFORE INSERT ON log_ticks WHEN EXISTS (SELECT 1 FROM log_ticks WHERE tick = NEW.tick) BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
  CREATE TRIGGER IF NOT EXISTS log_ticks_are_never_deleted BEFORE DELETE ON log_ticks BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
`

/** Ticks read at a time; each may be half a megabyte, so only few are held at once. */
export const ticksPerPage = 16

const damaged = (what: string): CarillonError =>
  new CarillonError(
    'store-corrupt',
    `The log table is damaged: ${what}. Restore the store from a backup, or import an export made with "carillon log export".`,
  )

const headOf = (row: SqlRow | undefined): Head => {
  if (row === undefined) return emptyHead
  const { tick, first_revision: first, count, hash, signature } = row
  if (
    typeof tick !== 'number' ||
    typeof first !== 'number' ||
    typeof count !== 'number' ||
    !HashC.is(hash) ||
    typeof signature !== 'string'
  )
    throw damaged('its last row has no valid head')
  return { tick, revision: first + count - 1, hash, signature }
}

const tickOf = (row: SqlRow): EncodedTick => {
  const { tick, first_revision: firstRevision, at_ms: atMs, hash, signature, events } = row
  if (
    typeof tick !== 'number' ||
    typeof firstRevision !== 'number' ||
    typeof atMs !== 'number' ||
    !HashC.is(hash) ||
    typeof signature !== 'string' ||
    typeof events !== 'string'
  )
    throw damaged(`tick ${String(tick)} cannot be read`)
  return { number: tick, firstRevision, at: instantFromMillis(atMs), hash, signature, events: eventsOf(events) }
}

export class SqliteTicks {
  readonly #insert: Statement
  readonly #last: Statement
  readonly #tickOfRevision: Statement
  readonly #page: Statement

  constructor(db: Database) {
    this.#insert = db.prepare(
      'INSERT INTO log_ticks (tick, first_revision, count, at_ms, hash, signature, events) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    this.#last = db.prepare(
      'SELECT tick, first_revision, count, hash, signature FROM log_ticks ORDER BY tick DESC LIMIT 1',
    )
    this.#tickOfRevision = db.prepare(
      'SELECT tick, first_revision FROM log_ticks WHERE tick <= ? ORDER BY tick DESC LIMIT 1',
    )
    this.#page = db.prepare(
      'SELECT tick, first_revision, at_ms, hash, signature, events FROM log_ticks WHERE tick >= ? ORDER BY tick LIMIT ?',
    )
  }

  head(): Head {
    return headOf(this.#last.get())
  }

  /** Holds as long as nobody else has appended a tick after a head. */
  endsWith(head: Head, tick: EncodedTick): Guard {
    return {
      sql: 'SELECT hash FROM log_ticks ORDER BY tick DESC LIMIT 1',
      expected: head.tick === emptyHead.tick ? undefined : head.hash,
      after: tick.hash,
    }
  }

  insert(tick: EncodedTick): void {
    this.#insert.run(
      tick.number,
      tick.firstRevision,
      tick.events.length,
      toMillis(tick.at),
      tick.hash,
      tick.signature,
      linesOf(tick.events),
    )
  }

  /** The number of the tick that holds a revision: revisions grow with ticks, so halving finds it without an index. */
  tickHolding(revision: number): number {
    let low = 1
    let high = Math.max(this.head().tick, 1)
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      const first = this.#tickOfRevision.get(middle)?.['first_revision']
      if (typeof first === 'number' && first <= revision) low = middle
      else high = middle - 1
    }
    return low
  }

  page(fromTick: number, count: number): readonly EncodedTick[] {
    return this.#page.all(fromTick, count).map(tickOf)
  }

  /** Ticks from a number on, read page by page so that a long log never sits in memory. */
  *from(fromTick: number, pageSize = ticksPerPage): Generator<EncodedTick> {
    let next = fromTick
    for (;;) {
      const page = this.page(next, pageSize)
      yield* page
      const last = page.at(-1)
      if (last === undefined) return
      next = last.number + 1
    }
  }
}

/** The last revision of the last tick at or before an instant; -1 when there is none, undefined without a log here. */
export const tickRevisionAt = (db: Database, atMs: number): number | undefined => {
  if (db.prepare("SELECT 1 AS found FROM sqlite_schema WHERE name = 'log_ticks'").get() === undefined) return undefined
  const last =
    'SELECT tick, first_revision, count, hash, signature FROM log_ticks WHERE at_ms <= ? ORDER BY tick DESC LIMIT 1'
  return headOf(db.prepare(last).get(atMs)).revision
}
