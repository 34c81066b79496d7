/**
 * The embedded store: log and views in one SQLite file and one commit, so a restart has nothing to replay.
 * With `:memory:` it is the same store without the file, for tests and forecasts.
 */
import { CarillonError } from '../errors/CarillonError.js'
import { SqliteTicks, ticksSchema } from '../log/sqlite/SqliteTicks.js'
import type { AppendOutcome } from '../log/EventLog.js'
import { headAfter, linesOf, type EncodedTick, type Head } from '../log/Tick.js'
import { BackgroundCheckpoints } from '../sqlite/BackgroundCheckpoints.js'
import { openDatabase } from '../sqlite/openDatabase.js'
import { storeFailure } from '../sqlite/storeFailure.js'
import type { Database, Statement } from '../views/Database.js'
import { Views, viewsSchema } from '../views/Views.js'
import { openStoreDatabase } from './storeFormat.js'
import { removeMark, writeMark, type RestoredMark } from './backup/RestoredMark.js'
import type { TickStore } from './TickStore.js'

/** Log and views in one SQLite file. `startNode({ store: folder })` opens one, and keeps a second process out. */
export class EmbeddedStore implements TickStore {
  readonly views: Views
  readonly reader: Database
  readonly #db: Database
  readonly #ticks: SqliteTicks
  // Prepared, since every tick begins and ends with them.
  readonly #begin: Statement
  readonly #commit: Statement
  /** Undefined for a store in memory, which has no file to bring up to date. */
  readonly #checkpoints: BackgroundCheckpoints | undefined
  #head: Head

  private constructor(db: Database, reader: Database, checkpoints: BackgroundCheckpoints | undefined) {
    this.#db = db
    this.#checkpoints = checkpoints
    this.reader = reader
    this.#ticks = new SqliteTicks(db)
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
    this.views = new Views(db)
    this.#head = this.#ticks.head()
    const seen = this.views.facts.now.head
    if (seen.hash !== this.#head.hash || seen.revision !== this.#head.revision) {
      throw new CarillonError(
        'log-diverged',
        `The views stand at revision ${seen.revision}, the log ends at ${this.#head.revision}: one of them was altered outside Carillon. Run "carillon log verify", then "carillon log rebuild" if the log is sound.`,
        { views: seen.revision, log: this.#head.revision },
      )
    }
  }

  static open(file: string): EmbeddedStore {
    try {
      const db = openStoreDatabase(file, `${ticksSchema} ${viewsSchema}`)
      let reader = db
      try {
        if (file !== ':memory:') reader = openDatabase(file, { readOnly: true })
        return new EmbeddedStore(db, reader, file === ':memory:' ? undefined : new BackgroundCheckpoints(file))
      } catch (error) {
        if (reader !== db) reader.close()
        db.close()
        throw error
      }
    } catch (error) {
      throw storeFailure(error, file)
    }
  }

  static inMemory(): EmbeddedStore {
    return EmbeddedStore.open(':memory:')
  }

  readonly head = (): Head => this.#head

  readonly begin = (): void => {
    this.#begin.run()
  }

  readonly commit = (tick: EncodedTick): AppendOutcome => {
    try {
      const head = this.#ticks.head()
      if (head.hash !== this.#head.hash) {
        this.rollback()
        return { kind: 'refused', head }
      }
      this.views.closeTick(headAfter(tick), Date.parse(tick.at))
      this.#ticks.insert(tick)
      this.#commit.run()
    } catch (error) {
      this.rollback()
      const failure = storeFailure(error)
      if (failure.consequence === 'retry') return { kind: 'failed', error: failure }
      throw failure
    }
    this.#head = headAfter(tick)
    this.views.committed()
    this.#checkpoints?.committed(linesOf(tick.events).length)
    return { kind: 'appended' }
  }

  readonly tick = (number: number): EncodedTick | undefined => this.#ticks.page(number, 1)[0]

  readonly rollback = (): void => {
    try {
      this.#db.exec('ROLLBACK')
    } catch {
      // After some errors SQLite has rolled back by itself; then there is nothing left to undo.
    }
    this.views.rolledBack()
  }

  async *read(fromRevision: number): AsyncGenerator<EncodedTick> {
    const until = this.#head.tick
    for (const tick of this.#ticks.from(this.#ticks.tickHolding(fromRevision))) {
      if (tick.number > until) return
      if (tick.firstRevision + tick.events.length > fromRevision) yield await Promise.resolve(tick)
    }
  }

  /** The same store as the next process would find it: everything that was only in memory is gone. For tests. */
  reopen(): EmbeddedStore {
    return new EmbeddedStore(this.#db, this.reader, this.#checkpoints)
  }

  readonly mark = (mark: RestoredMark | undefined): void => {
    if (mark === undefined) removeMark(this.#db)
    else writeMark(this.#db, mark)
  }

  readonly close = async (): Promise<void> => {
    // The last connection to close leaves one whole file behind; that must be this one.
    await this.#checkpoints?.stop()
    if (this.reader !== this.#db) this.reader.close()
    this.#db.close()
  }
}
