/**
 * Views beside a log that lives elsewhere. The log decides: views are committed only after the append was
 * acknowledged, and when the acknowledgement is lost the log is read back before anything else happens.
 */
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { decodeEvent } from '../log/decodeEvent.js'
import type { AppendOutcome, EventLog } from '../log/EventLog.js'
import { SqliteTicks, ticksSchema } from '../log/sqlite/SqliteTicks.js'
import { headAfter, type EncodedTick, type Head } from '../log/Tick.js'
import { openDatabase } from '../sqlite/openDatabase.js'
import { toMillis } from '../time/Instant.js'
import type { Database } from '../views/Database.js'
import { Views, viewsSchema } from '../views/Views.js'
import { openStoreDatabase } from './storeFormat.js'
import { assertFollows } from './logTools/foldLog.js'
import type { TickStore } from './TickStore.js'

/** How long a lost acknowledgement is looked for, or room for the views awaited, before the node gives up. */
const retryWaitsMs = [10, 50, 250, 1_000, 5_000]

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const mayPass = (error: unknown): boolean => error instanceof CarillonError && error.consequence === 'retry'

/** A store whose log is kept elsewhere, behind the {@link EventLog} port; its views are local. */
export class LogBackedStore implements TickStore {
  readonly views: Views
  readonly reader: Database
  readonly #db: Database
  readonly #log: EventLog
  /** A copy of the log beside the views: decisions may need an old transaction, and cannot wait for a far log. */
  readonly #copy: SqliteTicks
  #head: Head

  private constructor(log: EventLog, db: Database, reader: Database) {
    this.#log = log
    this.#copy = new SqliteTicks(db)
    this.#db = db
    this.reader = reader
    this.views = new Views(db)
    this.#head = this.views.facts.now.head
  }

  /** Opens the views and brings them up to the head of the log. `viewsFile` may be `:memory:`. */
  static async open(log: EventLog, viewsFile = ':memory:'): Promise<LogBackedStore> {
    const db = openStoreDatabase(viewsFile, `${ticksSchema} ${viewsSchema}`)
    let reader = db
    try {
      if (viewsFile !== ':memory:') reader = openDatabase(viewsFile, { readOnly: true })
      const store = new LogBackedStore(log, db, reader)
      await store.#catchUp()
      return store
    } catch (error) {
      if (reader !== db) reader.close()
      db.close()
      throw error
    }
  }

  readonly head = (): Head => this.#head

  readonly begin = (): void => {
    this.#db.exec('BEGIN IMMEDIATE')
  }

  readonly commit = async (tick: EncodedTick): Promise<AppendOutcome> => {
    const expected = this.#head
    this.views.closeTick(headAfter(tick), toMillis(tick.at))
    this.#copy.insert(tick)
    const outcome = await this.#append(expected, tick)
    if (outcome.kind === 'appended') await this.#commitViews(tick)
    else this.rollback()
    return outcome
  }

  /**
   * The log holds the tick, so from here on it must not be reported as failed. When the views cannot be written
   * at once, they are rolled back and folded from the log as soon as there is room.
   */
  async #commitViews(tick: EncodedTick): Promise<void> {
    try {
      this.#db.exec('COMMIT')
      this.#head = headAfter(tick)
      this.views.committed()
      return
    } catch (error) {
      this.rollback()
      if (!mayPass(error)) throw error
    }
    let cause: unknown
    for (const waitMs of retryWaitsMs) {
      await wait(waitMs)
      try {
        await this.#catchUp()
        return
      } catch (error) {
        this.rollback()
        if (!mayPass(error)) throw error
        cause = error
      }
    }
    throw new CarillonError(
      'store-not-writable',
      `Tick ${tick.number} is in the log, but the views beside it cannot be written: ${messageOf(cause)} Make room and start the node again; it takes the tick from the log.`,
      { tick: tick.number },
      cause,
    )
  }

  async #append(expected: Head, tick: EncodedTick): Promise<AppendOutcome> {
    const outcome = await this.#log.append(expected, tick)
    if (outcome.kind !== 'unknown') return outcome
    for (const waitMs of retryWaitsMs) {
      await wait(waitMs)
      try {
        const found = await this.#readBack(expected, tick)
        if (found !== undefined) return found
        // Not there (yet): appending again is safe, because the log takes a tick once at an expected head. Only
        // `appended` is an answer: the first try may still arrive, and be what refuses the second.
        const again = await this.#log.append(expected, tick)
        if (again.kind === 'appended') return again
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

  /** What the log holds in the place of a tick: that tick, another one, or (undefined) nothing yet. */
  async #readBack(expected: Head, tick: EncodedTick): Promise<AppendOutcome | undefined> {
    const head = await this.#log.head()
    if (head.hash === tick.hash) return { kind: 'appended' }
    if (head.hash === expected.hash) return undefined
    // Another writer may have gone on from our own tick, which then stands all the same.
    for await (const { hash } of this.#log.read(tick.firstRevision))
      return hash === tick.hash ? { kind: 'appended' } : { kind: 'refused', head }
    return { kind: 'refused', head }
  }

  readonly tick = (number: number): EncodedTick | undefined => this.#copy.page(number, 1)[0]

  readonly rollback = (): void => {
    try {
      this.#db.exec('ROLLBACK')
    } catch {
      // After some errors SQLite has rolled back by itself; then there is nothing left to undo.
    }
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
    let isFirst = true
    for await (const tick of this.#log.read(Math.max(this.#head.revision, 0))) {
      if (isFirst && this.#head.revision >= 0) {
        // The tick that holds the last revision seen must be the very tick that was seen.
        isFirst = false
        if (tick.number !== this.#head.tick || tick.hash !== this.#head.hash) throw this.#diverged(logHead)
        continue
      }
      isFirst = false
      assertFollows(this.#head, tick)
      this.begin()
      tick.events.forEach((line, index) => {
        const revision = tick.firstRevision + index
        this.views.fold(decodeEvent(line, revision), revision, toMillis(tick.at))
      })
      this.views.closeTick(headAfter(tick), toMillis(tick.at))
      this.#copy.insert(tick)
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
