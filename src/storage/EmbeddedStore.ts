/**
 * The embedded store: log and views in one SQLite file and one commit, so a restart has nothing to replay. A large tick
 * is committed by a thread while the next is decided. With `:memory:` it is the same store without file and thread, for
 * tests and forecasts.
 */
import { assertInvariant, CarillonError } from '../errors/CarillonError.js'
import { storageLimits, type StorageLimits } from './limits.js'
import { limitsOf } from '../limits.js'
import { SqliteTicks, ticksSchema } from './SqliteTicks.js'
import type { AppendOutcome } from '../log/EventLog.js'
import { headAfter, joinedLines, type EncodedTick, type Head } from '../log/Tick.js'
import { CommitThread } from './sqlite/CommitThread.js'
import { carriedOutOn } from './sqlite/carryOutOn.js'
import type { CarryOut, CommitWorker, WorkerOutcome } from './sqlite/CommitWorker.js'
import { BackgroundCheckpoints } from './sqlite/BackgroundCheckpoints.js'
import { openDatabase } from './sqlite/openDatabase.js'
import { StoreCheck } from './sqlite/StoreCheck.js'
import { storeFailure } from './sqlite/storeFailure.js'
import { toMillis } from '../time/Instant.js'
import { WriteBehind } from './sqlite/WriteBehind.js'
import type { Database } from './Database.js'
import { StoredViews, viewsSchema } from './StoredViews.js'
import { openStoreDatabase } from './storeFormat.js'
import { PositionNote } from './PositionNote.js'
import { removeMark, writeMark } from './readMark.js'
import type { RestoredMark } from '../engine/RestoredMark.js'
import type { PendingCommit } from '../engine/LoopStore.js'
import type { OpenStore } from './OpenStore.js'

const known = (outcome: AppendOutcome): PendingCommit => ({ outcome: () => outcome, whenDone: setImmediate })

/** What a store that has a file keeps up to date beside its database. */
type Beside = {
  readonly checkpoints: BackgroundCheckpoints
  readonly note: PositionNote
  /** What is left of the check of its pages. */
  readonly check: StoreCheck | undefined
}

/** What an embedded store may be told. */
export type EmbeddedStoreOptions = {
  /**
   * Whether a thread commits large ticks. When it is done with one depends on the machine, and so does what the next tick
   * holds. Default true.
   */
  readonly usesThread?: boolean
  /** @internal What commits large ticks, when that is not a thread. */
  readonly worker?: (carryOut: CarryOut) => CommitWorker
  /** Limits that differ from their defaults. */
  readonly limits?: Partial<StorageLimits>
  /** @internal A connection to use instead of one of its own to a new database in memory. It has the tables of a store, and no rows. */
  readonly database?: Database
}

/** Log and views in one SQLite file. `startNode({ store: folder })` opens one, and keeps a second process out. */
export class EmbeddedStore implements OpenStore {
  /** @internal */
  readonly views: StoredViews
  /** @internal */
  readonly reader: Database
  readonly file: string | undefined
  readonly #db: WriteBehind
  readonly #ticks: SqliteTicks
  /** Undefined for a store in memory. */
  readonly #beside: Beside | undefined
  #head: Head

  private constructor(
    db: WriteBehind,
    reader: Database,
    beside: Beside | undefined,
    limits: StorageLimits,
    file: string | undefined,
  ) {
    this.file = file
    this.#db = db
    this.#beside = beside
    this.reader = reader
    this.#ticks = new SqliteTicks(db)
    this.#ticks.assertEnd()
    this.views = new StoredViews(db, limits)
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

  static open(file: string, options: EmbeddedStoreOptions = {}): EmbeddedStore {
    const { usesThread = true, worker, limits: given, database } = options
    const limits = limitsOf('storage', storageLimits, given)
    try {
      const isFile = file !== ':memory:'
      const check = isFile ? StoreCheck.begin(file, limits) : undefined
      const opened = database ?? openStoreDatabase(file, `${ticksSchema} ${viewsSchema}`)
      const db = new WriteBehind(
        opened,
        worker?.(carriedOutOn(opened)) ?? (isFile && usesThread ? new CommitThread(file) : undefined),
        file,
      )
      let reader: Database = db
      const checkpoints = isFile ? new BackgroundCheckpoints(file, db) : undefined
      try {
        if (isFile) reader = openDatabase(file, { readOnly: true })
        const beside = checkpoints === undefined ? undefined : { checkpoints, note: new PositionNote(file), check }
        return new EmbeddedStore(db, reader, beside, limits, isFile ? file : undefined)
      } catch (error) {
        check?.stop()
        // Its thread has not begun yet, so this is done at once.
        void checkpoints?.stop()
        if (reader !== db) reader.close()
        db.close()
        checkpoints?.closed()
        throw error
      }
    } catch (error) {
      throw storeFailure(error, file)
    }
  }

  /** @internal Undefined when all pages are known to be sound, or are checked beside. */
  get whenSound(): (() => Promise<void>) | undefined {
    const check = this.#beside?.check
    return check?.isAwaited === true ? () => check.finish() : undefined
  }

  /** @internal Checks all pages, for whoever writes to the store without a node. */
  readonly assertSound = async (): Promise<void> => {
    await this.#beside?.check?.finish()
  }

  /** @internal */
  readonly onBroken = (listener: (error: CarillonError) => void): (() => void) => {
    const check = this.#beside?.check
    if (check?.isAwaited === false) void check.finishBeside(listener)
    return () => check?.stop()
  }

  static inMemory(options: Omit<EmbeddedStoreOptions, 'usesThread'> = {}): EmbeddedStore {
    return EmbeddedStore.open(':memory:', options)
  }

  readonly head = (): Head => this.#head

  /** @internal */
  readonly begin = (): void => {
    this.#db.begin()
  }

  /** @internal */
  readonly commit = (tick: EncodedTick): AppendOutcome => {
    try {
      this.#closeViews(tick)
      return this.#commitHere(tick)
    } catch (error) {
      this.rollback()
      return this.#failure(error)
    }
  }

  /** @internal */
  readonly isWriterIdle = (): boolean => this.#db.isWriterIdle()

  /** @internal A small tick is written sooner than it is handed over. */
  readonly handOver = (tick: EncodedTick): PendingCommit | undefined => {
    if (joinedLines(tick.events).length < this.views.limits.handedOverBytes || !this.#db.canHandOver()) return undefined
    // Only this connection moves pages then, in the middle of its commits.
    if (this.#beside?.checkpoints.hasThread === false) return undefined
    try {
      this.#closeViews(tick)
      if (this.#db.isOpen) return known(this.#commitHere(tick))
    } catch (error) {
      this.rollback()
      const outcome = this.#failure(error)
      return {
        outcome: () => {
          this.#beginAgain()
          return outcome
        },
        whenDone: setImmediate,
      }
    }
    this.#assertFollows(tick)
    this.#ticks.insert(tick)
    const commit = this.#db.handOver(this.#ticks.endsWith(this.#head, tick))
    this.views.committed()
    return { outcome: () => this.#outcomeOf(tick, commit.outcome()), whenDone: commit.whenDone }
  }

  #commitHere(tick: EncodedTick): AppendOutcome {
    this.#assertFollows(tick)
    this.#db.open()
    const head = this.#ticks.head()
    if (head.hash !== this.#head.hash) {
      this.rollback()
      return { kind: 'refused', head }
    }
    this.#ticks.insert(tick)
    this.#db.commit()
    this.#advance(tick)
    this.views.committed()
    return { kind: 'appended' }
  }

  /** Whatever went wrong before: a tick that was decided upon one that has fallen must never reach the log. */
  #assertFollows({ number, firstRevision }: EncodedTick): void {
    const { tick, revision } = this.#head
    assertInvariant(
      number === tick + 1 && firstRevision === revision + 1,
      `tick ${number} was decided upon one that the log does not hold: it ends with tick ${tick}`,
    )
  }

  #closeViews(tick: EncodedTick): void {
    this.views.closeTick(headAfter(tick), toMillis(tick.at))
  }

  #advance(tick: EncodedTick): void {
    this.#head = headAfter(tick)
    this.#beside?.note.committed(this.#head)
    this.#beside?.checkpoints.committed(joinedLines(tick.events).length)
  }

  #failure(error: unknown): AppendOutcome {
    const failure = storeFailure(error)
    if (failure.consequence === 'retry') return { kind: 'failed', error: failure }
    throw failure
  }

  #outcomeOf(tick: EncodedTick, outcome: WorkerOutcome): AppendOutcome {
    if (outcome.kind === 'committed') {
      this.#advance(tick)
      return { kind: 'appended' }
    }
    this.#beginAgain()
    return outcome.kind === 'refused' ? { kind: 'refused', head: this.#ticks.head() } : this.#failure(outcome.error)
  }

  /** The views had gone on as if a tick stood that does not; they begin again from what does. */
  #beginAgain(): void {
    this.#db.rollback()
    this.views.reload()
  }

  /** @internal */
  readonly tick = (number: number): EncodedTick | undefined => this.#ticks.page(number, 1)[0]

  /** @internal */
  readonly rollback = (): void => {
    this.#db.rollback()
    this.views.tickRolledBack()
  }

  async *read(fromRevision: number): AsyncGenerator<EncodedTick> {
    const until = this.#head.tick
    for (const tick of this.#ticks.from(this.#ticks.tickHolding(fromRevision))) {
      if (tick.number > until) return
      if (tick.firstRevision + tick.events.length > fromRevision) yield await Promise.resolve(tick)
    }
  }

  /** @internal The same store as the next process would find it: everything that was only in memory is gone. For tests. */
  reopen(): EmbeddedStore {
    this.#db.forget()
    return new EmbeddedStore(this.#db, this.reader, this.#beside, this.views.limits, this.file)
  }

  /** @internal */
  readonly mark = (mark: RestoredMark | undefined): void => {
    if (mark === undefined) removeMark(this.#db)
    else writeMark(this.#db, mark)
  }

  readonly close = async (): Promise<void> => {
    this.#beside?.check?.stop()
    // The last connection to close leaves one whole file behind; that must be this one.
    await this.#db.stopThread()
    await this.#beside?.checkpoints.stop()
    if (this.reader !== this.#db) this.reader.close()
    this.#db.close()
    this.#beside?.checkpoints.closed()
    this.#beside?.note.close()
  }
}
