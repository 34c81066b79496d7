/**
 * The port over a SQLite file, for whoever needs a log alone: followers, exports, the conformance suite. A
 * node with an embedded log appends through its store, which commits the log and the views as one.
 */
import { openDatabase } from '../../storage/sqlite/openDatabase.js'
import { openWritable } from '../../storage/sqlite/openWritable.js'
import { storeFailure } from '../../storage/sqlite/storeFailure.js'
import type { Database } from '../../storage/Database.js'
import type { EventLog } from '../../log/EventLog.js'
import { pause } from '../../engine/pause.js'
import { logClosed } from '../remote/logClosed.js'
import type { EncodedTick, Head } from '../../log/Tick.js'
import { SqliteTicks, ticksPerPage, ticksSchema } from '../../storage/SqliteTicks.js'

const pollMs = 50

/** Asked through a function, because the compiler takes a property it has seen false to be false for ever. */
const isAborted = (signal: AbortSignal): boolean => signal.aborted

/** A log in a SQLite file, without views. It also reads the log of an embedded store. */
export class SqliteLog implements EventLog {
  readonly #file: string
  readonly #db: Database
  readonly #ticks: SqliteTicks
  readonly #closed = new AbortController()

  private constructor(file: string, db: Database) {
    this.#file = file
    this.#db = db
    this.#ticks = new SqliteTicks(db)
  }

  static open(file: string): SqliteLog {
    return SqliteLog.#over(file, openWritable(file), ticksSchema)
  }

  static openReadOnly(file: string): SqliteLog {
    return SqliteLog.#over(file, openDatabase(file, { readOnly: true }))
  }

  static #over(file: string, db: Database, schema?: string): SqliteLog {
    try {
      if (schema !== undefined) db.exec(schema)
      return new SqliteLog(file, db)
    } catch (error) {
      db.close()
      throw storeFailure(error, file)
    }
  }

  /** The one place where the file is asked: what leaves it is an answer or a typed error. */
  #ask<A>(work: () => A): A {
    if (this.#closed.signal.aborted) throw logClosed(this.#file)
    try {
      return work()
    } catch (error) {
      throw storeFailure(error, this.#file)
    }
  }

  readonly head = async (): Promise<Head> => Promise.resolve(this.#ask(() => this.#ticks.head()))

  readonly append: EventLog['append'] = (expected, tick) => {
    try {
      // Immediate: the write lock is taken before the head is read, so that two writers cannot both see it.
      this.#ask(() => this.#db.exec('BEGIN IMMEDIATE'))
    } catch (error) {
      return Promise.resolve({ kind: 'failed', error: storeFailure(error, this.#file) })
    }
    try {
      const head = this.#ticks.head()
      if (head.hash !== expected.hash || head.revision !== expected.revision) {
        this.#db.exec('ROLLBACK')
        return Promise.resolve({ kind: 'refused', head })
      }
      this.#ticks.insert(tick)
      this.#db.exec('COMMIT')
      return Promise.resolve({ kind: 'appended' })
    } catch (error) {
      try {
        this.#db.exec('ROLLBACK')
      } catch {
        // SQLite has already rolled back on its own after the error above, which is the one worth reporting.
      }
      return Promise.resolve({ kind: 'failed', error: storeFailure(error, this.#file) })
    }
  }

  async *read(fromRevision: number): AsyncGenerator<EncodedTick> {
    const head = await this.head()
    let next = this.#ask(() => this.#ticks.tickHolding(fromRevision))
    for (;;) {
      const page = this.#ask(() => this.#ticks.page(next, ticksPerPage))
      for (const tick of page) {
        if (tick.number > head.tick) return
        next = tick.number + 1
        if (tick.firstRevision + tick.events.length > fromRevision) yield tick
      }
      if (page.length === 0) return
    }
  }

  async *follow(fromRevision: number, signal: AbortSignal): AsyncGenerator<EncodedTick> {
    if (this.#closed.signal.aborted) return
    const ended = AbortSignal.any([signal, this.#closed.signal])
    let next = this.#ask(() => this.#ticks.tickHolding(fromRevision))
    while (!isAborted(ended)) {
      const page = this.#ask(() => this.#ticks.page(next, ticksPerPage))
      for (const tick of page) {
        next = tick.number + 1
        if (tick.firstRevision + tick.events.length <= fromRevision) continue
        yield tick
        // Whoever took the tick may have ended the following meanwhile.
        if (isAborted(ended)) return
      }
      // Another process may be the writer, and SQLite tells nobody: a short poll is all there is.
      if (page.length === 0) await pause(pollMs, ended)
    }
  }

  readonly close = (): Promise<void> => {
    if (this.#closed.signal.aborted) return Promise.resolve()
    this.#closed.abort()
    this.#db.close()
    return Promise.resolve()
  }
}
