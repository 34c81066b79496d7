/**
 * Views beside a log that lives elsewhere. The log decides: views are committed only after the append was
 * acknowledged, and when the acknowledgement is lost the log is read back before anything else happens.
 */
import { CarillonError, messageOf, NodeFault } from '../errors/CarillonError.js'
import { limitsOf } from '../limits.js'
import { storageLimits, type StorageLimits } from './limits.js'
import { logLimits } from '../log/limits.js'
import type { AppendOutcome, EventLog } from '../log/EventLog.js'
import { BackOff } from '../engine/BackOff.js'
import { pause } from '../engine/pause.js'
import { SqliteTicks, ticksSchema } from './SqliteTicks.js'
import { headAfter, joinedLines, type EncodedTick, type Head } from '../log/Tick.js'
import { BackgroundCheckpoints } from './sqlite/BackgroundCheckpoints.js'
import { StoreCheck } from './sqlite/StoreCheck.js'
import { openDatabase } from './sqlite/openDatabase.js'
import { toMillis } from '../time/Instant.js'
import type { Database } from './Database.js'
import { AwaitedLog } from './AwaitedLog.js'
import { StoredViews, viewsSchema } from './StoredViews.js'
import { silentLogger, type Logger } from '../engine/Logger.js'
import { openStoreDatabase } from './storeFormat.js'
import { LogFold } from './LogFold.js'
import { removeMark, writeMark } from './readMark.js'
import type { RestoredMark } from '../engine/RestoredMark.js'
import type { OpenStore } from './OpenStore.js'

/** How long room for the views is awaited before the node gives up. */
const retryWaitsMs = [10, 50, 250, 1_000, 5_000]

const mayPass = (error: unknown): boolean => error instanceof CarillonError && error.consequence === 'retry'

/** Why the views could not be written. */
type Unwritten = { readonly error: unknown }

/** Asked through a function, because the compiler takes a property it has seen false to be false for ever. */
const isAborted = (signal: AbortSignal): boolean => signal.aborted

/** What a store on a log elsewhere may be told. */
export type LogBackedStoreOptions = {
  /** Where the store says that it waits for the log. Default: silent. */
  readonly logger?: Logger
  /** How it waits before it looks again. Default: by the machine's clock, which a simulation does not have. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
  /** Limits that differ from their defaults. */
  readonly limits?: Partial<StorageLimits>
}

/** A store whose log is kept elsewhere, behind the {@link EventLog} port; its views are local. */
export class LogBackedStore implements OpenStore {
  /** @internal */
  readonly views: StoredViews
  /** @internal */
  readonly reader: Database
  readonly file: string | undefined
  readonly #db: Database
  readonly #log: AwaitedLog
  readonly #checkpoints: BackgroundCheckpoints | undefined
  readonly #logger: Logger
  readonly #wait: NonNullable<LogBackedStoreOptions['wait']>
  /** A copy of the log beside the views: decisions may need an old transaction, and cannot wait for a far log. */
  readonly #copy: SqliteTicks
  readonly #fold: LogFold
  #abandoned = new AbortController()
  #trouble: CarillonError | undefined
  /** Why the log cannot be checked at the moment. */
  #unchecked: CarillonError | undefined
  readonly #unwatch: () => void
  #head: Head

  private constructor(
    log: EventLog,
    db: Database,
    reader: Database,
    checkpoints: BackgroundCheckpoints | undefined,
    { logger, wait, limits }: LogBackedStoreOptions,
    file: string | undefined,
  ) {
    this.file = file
    this.#log = new AwaitedLog(log, {
      signal: () => this.#abandoned.signal,
      // Views in memory have a copy, too, which nobody can use when the process has ended.
      copyRevision: () => (reader === db ? undefined : this.#head.revision),
    })
    this.#checkpoints = checkpoints
    this.#logger = logger ?? silentLogger
    this.#wait = wait ?? pause
    this.#copy = new SqliteTicks(db)
    this.#db = db
    this.reader = reader
    this.views = new StoredViews(db, limitsOf('storage', storageLimits, limits))
    this.#fold = new LogFold(this.views)
    this.#head = this.views.facts.now.head
    this.#unwatch = this.#log.onUnchecked((error) => this.#noteUnchecked(error))
  }

  /** Opens the views and brings them up to the head of the log. `viewsFile` may be `:memory:`. */
  static async open(
    log: EventLog,
    viewsFile = ':memory:',
    options: LogBackedStoreOptions = {},
  ): Promise<LogBackedStore> {
    const isFile = viewsFile !== ':memory:'
    const limits = limitsOf('storage', storageLimits, options.limits)
    await (isFile ? StoreCheck.begin(viewsFile, limits) : undefined)?.finish()
    const db = openStoreDatabase(viewsFile, `${ticksSchema} ${viewsSchema}`)
    let reader = db
    const checkpoints = isFile ? new BackgroundCheckpoints(viewsFile, db) : undefined
    try {
      // What the disk loses in a power cut is folded from the log again, so no commit need wait for it.
      db.exec('PRAGMA synchronous = NORMAL')
      if (isFile) reader = openDatabase(viewsFile, { readOnly: true })
      const store = new LogBackedStore(log, db, reader, checkpoints, options, isFile ? viewsFile : undefined)
      await store.#catchUp()
      return store
    } catch (error) {
      await checkpoints?.stop()
      if (reader !== db) reader.close()
      db.close()
      checkpoints?.closed()
      throw error
    }
  }

  /** @internal */
  get readsApart(): boolean {
    return this.reader !== this.#db
  }

  readonly head = (): Head => this.#head

  /** @internal Where the log itself ends; the views may still be behind it. */
  logHead(): Promise<Head> {
    return this.#log.head()
  }

  /** @internal */
  readonly trouble = (): CarillonError | undefined => this.#trouble ?? this.#unchecked

  /** @internal */
  readonly probeLog = async (): Promise<void> => {
    await this.#log.head()
  }

  /** @internal */
  readonly onBroken = (listener: (error: CarillonError) => void): (() => void) => this.#log.onBroken(listener)

  /** @internal Rejects when the log no longer keeps everything it was given. */
  assertLogWhole(): Promise<void> {
    return this.#log.assertWhole()
  }

  #noteUnchecked(error: CarillonError | undefined): void {
    this.#unchecked = error
    if (error === undefined) this.#logger.info('Whether the log keeps everything can be checked again.', {})
    else
      this.#logger.warn(
        `Whether the log keeps everything cannot be checked; the node goes on without knowing. ${error.message}`,
        { code: error.code },
      )
  }

  /** @internal */
  readonly begin = (): void => {
    this.#db.exec('BEGIN IMMEDIATE')
  }

  /** @internal */
  readonly commit = async (tick: EncodedTick): Promise<AppendOutcome> => {
    const expected = this.#head
    const appending = this.#append(expected, tick)
    const unwritten = await this.#writeViews(tick, appending)
    const outcome = await appending
    if (outcome.kind === 'appended') await this.#commitViews(tick, unwritten)
    else this.rollback()
    // A log that ends before the place this node has seen is no rival's: something was lost.
    if (outcome.kind === 'refused' && outcome.head.revision < expected.revision) throw this.#diverged(outcome.head)
    return outcome
  }

  /** Writes the views while the tick is on its way to the log, up to the commit. Gives the error that was met. */
  async #writeViews(tick: EncodedTick, appending: Promise<unknown>): Promise<Unwritten | undefined> {
    // Whoever awaits it hears of a failure; here only time passes, in which the tick leaves this process.
    await Promise.race([appending.catch(() => undefined), new Promise((resolve) => setImmediate(resolve))])
    try {
      this.views.closeTick(headAfter(tick), toMillis(tick.at))
      this.#copy.insert(tick)
      return undefined
    } catch (error) {
      return { error }
    }
  }

  /**
   * The log holds the tick, so from here on it must not be reported as failed. When the views cannot be written
   * at once, they are rolled back and folded from the log as soon as there is room.
   */
  async #commitViews(tick: EncodedTick, unwritten: Unwritten | undefined): Promise<void> {
    let cause: unknown
    try {
      if (unwritten !== undefined) throw unwritten.error
      this.#db.exec('COMMIT')
      this.#checkpoints?.committed(joinedLines(tick.events).length)
      this.#head = headAfter(tick)
      this.views.committed()
      return
    } catch (error) {
      this.rollback()
      cause = error
    }
    for (const waitMs of retryWaitsMs) {
      if (!mayPass(cause)) break
      await this.#wait(waitMs, this.#abandoned.signal)
      try {
        await this.#catchUp()
        return
      } catch (error) {
        cause = error
      }
    }
    throw new NodeFault(
      'views-not-written',
      `Tick ${tick.number} is in the log and counts, but the views beside it cannot be written: ${messageOf(cause)} Put that right and start the node again; it takes the tick from the log.`,
      { tick: tick.number },
      cause,
    )
  }

  /** As long as nobody knows whether the tick was appended, nothing else can be decided: this waits for the log. */
  async #append(expected: Head, tick: EncodedTick): Promise<AppendOutcome> {
    const backOff = new BackOff(logLimits.logReadBackFirstMs, logLimits.logFollowLongestMs)
    let outcome = await this.#log.append(expected, tick)
    if (outcome.kind !== 'unknown') return outcome
    const { signal } = this.#abandoned
    let cause: unknown = outcome.error
    while (!isAborted(signal)) {
      this.#waitsFor(cause, tick)
      await this.#wait(backOff.next(), signal)
      try {
        const found = await this.#readBack(expected, tick)
        if (found !== undefined) return this.#foundOut(found)
        // Not there (yet): appending again is safe, because the log takes a tick once at an expected head. Only
        // `appended` is an answer: the first try may still arrive, and be what refuses the second.
        outcome = await this.#log.append(expected, tick)
        if (outcome.kind === 'appended') return this.#foundOut(outcome)
        if (outcome.kind !== 'refused') cause = outcome.error
      } catch (error) {
        // The log cannot be reached; the next try may find it again.
        cause = error
      }
      // What is wrong with the log now does not pass. The next start finds out what it holds.
      if (cause instanceof CarillonError && cause.consequence === 'stop') throw cause
    }
    throw new CarillonError(
      'node-stopped',
      `The node stops before the log has said whether tick ${tick.number} was appended. The next start reads the log and goes on from it.`,
      { tick: tick.number },
      cause,
    )
  }

  #waitsFor(error: unknown, tick: EncodedTick): void {
    const known =
      error instanceof CarillonError
        ? error
        : new NodeFault('log-unreachable', `The log cannot be reached: ${messageOf(error)}`, {}, error)
    // Once for each cause: what an operator has to do about it is another thing each time.
    if (this.#trouble?.code !== known.code)
      this.#logger.warn(
        `Whether tick ${tick.number} is in the log is not known; the node waits and reads back. ${known.message}`,
        { code: known.code, tick: tick.number },
      )
    this.#trouble = known
  }

  #foundOut(outcome: AppendOutcome): AppendOutcome {
    this.#trouble = undefined
    this.#logger.info('The log has been read back; the node goes on.', { outcome: outcome.kind })
    return outcome
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

  /** @internal */
  readonly tick = (number: number): EncodedTick | undefined => this.#copy.page(number, 1)[0]

  /** @internal */
  readonly rollback = (): void => {
    try {
      this.#db.exec('ROLLBACK')
    } catch {
      // After some errors SQLite has rolled back by itself; then there is nothing left to undo.
    }
    this.views.tickRolledBack()
    this.#fold.rolledBack()
  }

  read(fromRevision: number): AsyncIterable<EncodedTick> {
    return this.#log.read(fromRevision)
  }

  /** @internal */
  readonly abandon = (): void => {
    this.#abandoned.abort()
  }

  /** @internal Waits for the log again, after it was abandoned. */
  readonly resume = (): void => {
    this.#abandoned = new AbortController()
  }

  /** @internal */
  readonly mark = (mark: RestoredMark | undefined): void => {
    if (mark === undefined) removeMark(this.#db)
    else writeMark(this.#db, mark)
  }

  readonly close = async (): Promise<void> => {
    this.abandon()
    this.#unwatch()
    await this.#checkpoints?.stop()
    if (this.reader !== this.#db) this.reader.close()
    this.#db.close()
    this.#checkpoints?.closed()
    await this.#log.close()
  }

  /** Folds what the log holds and the views do not, many ticks in one commit. */
  async #catchUp(): Promise<void> {
    const logHead = await this.#log.head()
    if (logHead.revision < this.#head.revision) throw this.#diverged(logHead)
    let isFirst = true
    let isOpen = false
    try {
      for await (const tick of this.#log.read(Math.max(this.#head.revision, 0))) {
        if (isFirst && this.#head.revision >= 0) {
          // The tick that holds the last revision seen must be the very tick that was seen.
          isFirst = false
          if (tick.number !== this.#head.tick || tick.hash !== this.#head.hash) throw this.#diverged(logHead)
          continue
        }
        isFirst = false
        if (!isOpen) this.begin()
        isOpen = true
        this.#apply(tick)
        if (!this.#fold.isFull) continue
        this.#commitFolded()
        isOpen = false
      }
      if (isOpen) this.#commitFolded()
      this.#fold.over()
    } catch (error) {
      if (isOpen) this.rollback()
      throw error
    }
  }

  /**
   * @internal
   * Keeps the views up to date with what another process appends, until the signal. `onTick` is called for each tick
   * once the views hold it.
   */
  async follow(signal: AbortSignal, onTick: (tick: EncodedTick) => void): Promise<void> {
    for await (const tick of this.#log.follow(this.#head.revision + 1, signal)) {
      this.begin()
      try {
        this.#apply(tick)
        this.#commitFolded()
        this.#fold.over()
      } catch (error) {
        this.rollback()
        throw error
      }
      onTick(tick)
    }
  }

  /** @internal Folds what is new, and says whether there was something. */
  async catchUp(): Promise<boolean> {
    const before = this.#head.revision
    await this.#catchUp()
    return this.#head.revision !== before
  }

  /** Applies a tick of another process, or an earlier one of this. */
  #apply(tick: EncodedTick): void {
    this.#fold.fold(tick)
    this.#copy.insert(tick)
  }

  #commitFolded(): void {
    const bytes = this.#fold.bytes
    this.#fold.write()
    this.#db.exec('COMMIT')
    this.#checkpoints?.committed(bytes)
    this.#fold.committed()
    this.#head = this.views.facts.now.head
  }

  #diverged(logHead: Head): CarillonError {
    const isEmpty = logHead.revision < 0
    return new NodeFault(
      'log-diverged',
      `The views stand at revision ${this.#head.revision}, on a history the log does not hold; it ${isEmpty ? 'is empty' : `ends at ${logHead.revision}`}. ${
        isEmpty
          ? 'Is it the right log? To move a node to another log, use "carillon log copy".'
          : 'Events may have been lost in a failover. Compare with a backup, or delete the views to build them from this log.'
      }`,
      { views: this.#head.revision, log: logHead.revision },
    )
  }
}
