/**
 * Views beside a log that lives elsewhere. The log decides: views are committed only after the append was
 * acknowledged, and when the acknowledgement is lost the log is read back before anything else happens.
 */
import { CarillonError, assertInvariant } from '../errors/CarillonError.js'
import { decodeEvent } from '../log/decodeEvent.js'
import type { AppendOutcome, EventLog } from '../log/EventLog.js'
import { headAfter, type EncodedTick, type Head } from '../log/Tick.js'
import { openDatabase } from '../sqlite/openDatabase.js'
import { openWritable } from '../sqlite/openWritable.js'
import { toMillis } from '../time/Instant.js'
import type { Database } from '../views/Database.js'
import { Views, viewsSchema } from '../views/Views.js'
import { assertReadable, stampFormat } from './storeFormat.js'
import type { TickStore } from './TickStore.js'

/** How long a lost acknowledgement is looked for, try after try, before the node gives up. */
const readBackWaitsMs = [10, 50, 250, 1_000, 5_000]

/** A store whose log is kept elsewhere, behind the {@link EventLog} port; its views are local. */
export class LogBackedStore implements TickStore {
  readonly views: Views
  readonly reader: Database
  readonly #db: Database
  readonly #log: EventLog
  #head: Head

  private constructor(log: EventLog, db: Database, reader: Database) {
    this.#log = log
    this.#db = db
    this.reader = reader
    this.views = new Views(db)
    this.#head = this.views.facts.now.head
  }

  /** Opens the views and brings them up to the head of the log. `viewsFile` may be `:memory:`. */
  static async open(log: EventLog, viewsFile = ':memory:'): Promise<LogBackedStore> {
    const db = openWritable(viewsFile)
    assertReadable(db, viewsFile)
    db.exec(viewsSchema)
    stampFormat(db)
    const store = new LogBackedStore(
      log,
      db,
      viewsFile === ':memory:' ? db : openDatabase(viewsFile, { readOnly: true }),
    )
    await store.#catchUp()
    return store
  }

  readonly head = (): Head => this.#head

  readonly begin = (): void => {
    this.#db.exec('BEGIN IMMEDIATE')
  }

  readonly commit = async (tick: EncodedTick): Promise<AppendOutcome> => {
    const expected = this.#head
    this.views.closeTick(headAfter(tick), toMillis(tick.at))
    const outcome = await this.#append(expected, tick)
    if (outcome.kind === 'appended') {
      this.#db.exec('COMMIT')
      this.#head = headAfter(tick)
      this.views.committed()
    } else {
      this.rollback()
    }
    return outcome
  }

  async #append(expected: Head, tick: EncodedTick): Promise<AppendOutcome> {
    const outcome = await this.#log.append(expected, tick)
    if (outcome.kind !== 'unknown') return outcome
    for (const waitMs of readBackWaitsMs) {
      await new Promise((resolve) => setTimeout(resolve, waitMs))
      try {
        const head = await this.#log.head()
        if (head.hash === tick.hash) return { kind: 'appended' }
        if (head.hash !== expected.hash) return { kind: 'refused', head }
        // Not there (yet): appending again is safe, because the log takes a tick once at an expected head.
        const again = await this.#log.append(expected, tick)
        if (again.kind !== 'unknown') return again
      } catch {
        // The log cannot be reached; the next try may find it again.
      }
    }
    throw new CarillonError(
      'log-revision-conflict',
      `The log did not say whether tick ${tick.number} was appended, and could not be read back. Restart the node when the log can be reached; it will find out.`,
      { tick: tick.number },
      outcome.error,
    )
  }

  readonly rollback = (): void => {
    this.#db.exec('ROLLBACK')
    this.views.rolledBack()
  }

  read(fromRevision: number): AsyncIterable<EncodedTick> {
    return this.#log.read(fromRevision)
  }

  readonly close = async (): Promise<void> => {
    if (this.reader !== this.#db) this.reader.close()
    this.#db.close()
    await this.#log.close()
  }

  async #catchUp(): Promise<void> {
    const logHead = await this.#log.head()
    if (logHead.revision < this.#head.revision) throw this.#diverged(logHead)
    for await (const tick of this.#log.read(Math.max(this.#head.revision, 0))) {
      if (tick.number <= this.#head.tick) {
        if (tick.number === this.#head.tick && tick.hash !== this.#head.hash) throw this.#diverged(logHead)
        continue
      }
      assertInvariant(
        tick.number === this.#head.tick + 1,
        `the log goes from tick ${this.#head.tick} to ${tick.number}`,
      )
      this.begin()
      tick.events.forEach((line, index) => {
        const revision = tick.firstRevision + index
        this.views.fold(decodeEvent(line, revision), revision, toMillis(tick.at))
      })
      this.views.closeTick(headAfter(tick), toMillis(tick.at))
      this.#db.exec('COMMIT')
      this.views.committed()
      this.#head = headAfter(tick)
    }
  }

  #diverged(logHead: Head): CarillonError {
    return new CarillonError(
      'log-diverged',
      `The views stand at revision ${this.#head.revision}, on a history the log does not hold; it ends at ${logHead.revision}. Events may have been lost in a failover. Compare with a backup, or delete the views to build them from this log.`,
      { views: this.#head.revision, log: logHead.revision },
    )
  }
}
