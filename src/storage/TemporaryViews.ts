/**
 * Views folded from a log into a database of their own, which is gone when it is closed: the one way to fold a log outside
 * a store. Rows and revision are always of one moment: what has gathered is written before it is seen, and a fold that
 * fails leaves the views as it found them.
 */
import { emptyHead, headAfter, type EncodedTick, type Head } from '../log/Tick.js'
import { openDatabase } from './sqlite/openDatabase.js'
import type { Database } from './Database.js'
import { StoredViews, viewsSchema } from './StoredViews.js'
import { LogFold } from './LogFold.js'

/** SQLite keeps a database without a name in memory as long as it is small, and then in a file nobody else sees. */
const temporary = ''

/** How long folding may keep others waiting. */
const turnMs = 20

const letOthersWork = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export class TemporaryViews {
  readonly #db: Database
  #views: StoredViews
  #fold: LogFold
  /** Where the last tick ended that was folded as a whole. */
  #whole: Head = emptyHead
  /** Where it ended before the fold that is under way. */
  #wholeBefore: Head | undefined
  #isWritten = true
  #isClosed = false

  constructor() {
    this.#db = openDatabase(temporary)
    this.#db.exec(viewsSchema)
    this.#views = new StoredViews(this.#db)
    this.#fold = new LogFold(this.#views)
  }

  /** For questions, also while ticks are folded: between two of them the views are those of the first. */
  get db(): Database {
    this.#write()
    return this.#db
  }

  /** The last revision that was folded. */
  get revision(): number {
    this.#write()
    return this.#folded
  }

  /** The instant of its tick; undefined before the first. */
  get atMs(): number | undefined {
    this.#write()
    const { head, atMs } = this.#views.facts.now
    return head.revision === emptyHead.revision ? undefined : atMs
  }

  /** Folds ticks that follow, up to a revision: all of them, or none when that fails. */
  async foldTo(
    ticks: AsyncIterable<EncodedTick>,
    revision = Number.MAX_SAFE_INTEGER,
    onProgress?: (events: number) => void,
  ): Promise<void> {
    if (revision <= this.#folded) return
    this.#begin()
    try {
      let turnEndsMs = performance.now() + turnMs
      for await (const tick of ticks) {
        if (tick.firstRevision > revision) break
        if (headAfter(tick).revision <= this.#folded) continue
        this.#apply(tick, revision)
        onProgress?.(this.#folded + 1)
        if (this.#folded >= revision) break
        if (performance.now() < turnEndsMs) continue
        await letOthersWork()
        turnEndsMs = performance.now() + turnMs
      }
      this.#commit()
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#db.close()
  }

  get #folded(): number {
    return this.#views.facts.now.head.revision
  }

  #apply(tick: EncodedTick, revision: number): void {
    try {
      this.#isWritten = false
      this.#fold.foldUpTo(tick, revision, this.#whole)
      if (headAfter(tick).revision === this.#folded) this.#whole = headAfter(tick)
      if (this.#fold.isFull) this.#write()
    } catch (error) {
      // At once: before the loop is left its source is told, and meanwhile nobody may see half a tick.
      this.#rollBack()
      throw error
    }
  }

  /** Writes what has gathered. All is in one transaction, whose rollback drops the views, so rows may be let go already. */
  #write(): void {
    if (this.#isWritten) return
    this.#fold.write()
    this.#fold.committed()
    this.#isWritten = true
  }

  #begin(): void {
    this.#db.exec('BEGIN')
    this.#wholeBefore = this.#whole
  }

  #commit(): void {
    this.#write()
    this.#db.exec('COMMIT')
    this.#wholeBefore = undefined
    this.#fold.over()
  }

  #rollBack(): void {
    if (this.#wholeBefore === undefined || this.#isClosed) return
    try {
      this.#db.exec('ROLLBACK')
    } catch {
      // After some errors SQLite has rolled back by itself; then there is nothing left to undo.
    }
    this.#whole = this.#wholeBefore
    this.#wholeBefore = undefined
    this.#views = new StoredViews(this.#db)
    this.#fold = new LogFold(this.#views)
    this.#isWritten = true
  }
}
