/**
 * The table that holds a log in SQLite: one row a tick, keyed by the tick's number. Rows are only ever added.
 */
import { HashC, type Hash } from '../encoding/hash.js'
import { CarillonError } from '../errors/CarillonError.js'
import type { Guard } from './sqlite/CommitWorker.js'
import { instantFromMillis, toMillis, type Instant } from '../time/Instant.js'
import type { Database, SqlRow, SqlValue, Statement } from './Database.js'
import { emptyHead, eventsOf, headAfter, joinedLines, type EncodedTick, type Head } from '../log/Tick.js'
import { assertFollows } from './assertFollows.js'

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

/** The number of events stands in a row twice, and the second time it is signed. */
const miscounted = (tick: number, count: SqlValue | undefined, found: number): CarillonError =>
  new CarillonError(
    'store-corrupt',
    `The log table is damaged: the row of tick ${tick} says that it holds ${String(count)} events, and it holds ${found}. Run "carillon log rebuild": it checks every tick against its signature and writes the table anew. If it refuses, restore the store from a backup, or import an export made with "carillon log export".`,
    { tick },
  )

const isCount = (value: SqlValue | undefined): value is number => Number.isSafeInteger(value) && Number(value) >= 0

const headOf = (row: SqlRow | undefined): Head => {
  if (row === undefined) return emptyHead
  const { tick, first_revision: first, count, hash, signature } = row
  if (!isCount(tick) || !isCount(first) || !isCount(count) || !HashC.is(hash) || typeof signature !== 'string')
    throw damaged('its last row has no valid head')
  return { tick, revision: first + count - 1, hash, signature }
}

/** Whoever checks ticks against their signatures need not believe what a row says of its events, and can write it anew. */
type Trust = 'row' | 'events'

const instantOf = (tick: number, atMs: number): Instant => {
  try {
    return instantFromMillis(atMs)
  } catch {
    throw damaged(`tick ${tick} has no valid instant`)
  }
}

const tickOf = (row: SqlRow, trust: Trust): EncodedTick => {
  const { tick, first_revision: firstRevision, at_ms: atMs, count, hash, signature, events: lines } = row
  if (
    !isCount(tick) ||
    !isCount(firstRevision) ||
    typeof atMs !== 'number' ||
    !HashC.is(hash) ||
    typeof signature !== 'string' ||
    typeof lines !== 'string'
  )
    throw damaged(`tick ${String(tick)} cannot be read`)
  const events = eventsOf(lines)
  if (trust === 'row' && count !== events.length) throw miscounted(tick, count, events.length)
  return { number: tick, firstRevision, at: instantOf(tick, atMs), hash, signature, events }
}

export class SqliteTicks {
  readonly #insert: Statement
  readonly #last: Statement
  readonly #tickOfRevision: Statement
  readonly #page: Statement

  constructor(db: Database) {
    this.#insert = db.prepare(
      // The events may be given as the bytes of their text.
      'INSERT INTO log_ticks (tick, first_revision, count, at_ms, hash, signature, events) VALUES (?, ?, ?, ?, ?, ?, CAST(? AS TEXT))',
    )
    this.#last = db.prepare(
      'SELECT tick, first_revision, count, hash, signature FROM log_ticks ORDER BY tick DESC LIMIT 1',
    )
    this.#tickOfRevision = db.prepare(
      'SELECT tick, first_revision FROM log_ticks WHERE tick <= ? ORDER BY tick DESC LIMIT 1',
    )
    this.#page = db.prepare(
      'SELECT tick, first_revision, count, at_ms, hash, signature, events FROM log_ticks WHERE tick >= ? ORDER BY tick LIMIT ?',
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
      joinedLines(tick.events),
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

  page(fromTick: number, count: number, trust: Trust = 'row'): readonly EncodedTick[] {
    return this.#page.all(fromTick, count).map((row) => tickOf(row, trust))
  }

  /** The running hash after a tick. */
  hashOf(tick: number): Hash | undefined {
    return this.page(tick, 1).find(({ number }) => number === tick)?.hash
  }

  /** Throws when the last tick is not whole: what it says of itself decides where the log ends. */
  assertEnd(): void {
    const { tick } = this.head()
    if (tick === emptyHead.tick) return
    const [before, last] = tick === 1 ? [undefined, ...this.page(1, 1)] : this.page(tick - 1, 2)
    // A log whose end stands alone has a gap before it.
    const end = last ?? before
    if (end !== undefined)
      assertFollows(last === undefined || before === undefined ? emptyHead : headAfter(before), end)
  }

  /** Ticks from a number on, read page by page so that a long log never sits in memory. */
  *from(fromTick: number, trust: Trust = 'row'): Generator<EncodedTick> {
    let next = fromTick
    for (;;) {
      const page = this.page(next, ticksPerPage, trust)
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
