/**
 * An embedded store whose disk fails where a simulation tells it to. A power cut takes what was not synced. Large ticks
 * may be committed while the next is decided.
 */
import type { EncodedTick } from '../../log/Tick.js'
import { assertInvariant } from '../../errors/CarillonError.js'
import { fillStore } from '../../storage/buildStore.js'
import type { Database } from '../../storage/Database.js'
import { digestViews } from '../../storage/digest.js'
import { EmbeddedStore } from '../../storage/EmbeddedStore.js'
import type { LogFold } from '../../storage/LogFold.js'
import { isEachCommitSynced } from '../../storage/storeFormat.js'
import { throughBackups } from './throughBackups.js'
import { takeScratchStore } from '../../storage/sqlite/scratchDatabase.js'
import type { StorageLimits } from '../../storage/limits.js'
import type { TickStore } from '../../storage/TickStore.js'
import type { Chance } from './Chance.js'
import { DiskFaults, diskIsFull, powerIsOut } from './DiskFaults.js'
import { SimulatedCommits } from './SimulatedCommits.js'
import type { SimulatedStore, StoreWatch } from './SimulatedStore.js'

export type SimulatedDiskOptions = {
  readonly limits?: Partial<StorageLimits> | undefined
  /** Decides when a tick is durable that was handed over. Without it none is handed over. */
  readonly pipeline?: Chance | undefined
}

/** Asked once: the setting is the same for every store. */
let isSynced: boolean | undefined

const assertSame = (before: string, after: string): void => {
  assertInvariant(before === after, 'the views that a log gives are those that the node had')
}

export class SimulatedDisk implements SimulatedStore {
  readonly faults = new DiskFaults()
  readonly #watch: StoreWatch
  #commits: SimulatedCommits | undefined
  readonly #options: SimulatedDiskOptions
  #inner: EmbeddedStore
  /** The last tick that was there when the store was opened: a checkpoint has synced it. */
  #syncedTick = 0
  /** Whether a tick is being decided, whose rows are not to be looked at yet. */
  #isTicking = false
  /** The tick that was handed over, as long as it is not in the log. */
  #handedOver: EncodedTick | undefined

  constructor(watch: StoreWatch, options: SimulatedDiskOptions = {}) {
    this.#watch = watch
    this.#options = options
    this.#inner = this.#open(takeScratchStore())
  }

  #open(database: Database): EmbeddedStore {
    const { limits, pipeline } = this.#options
    return EmbeddedStore.inMemory({
      database,
      ...(limits === undefined ? {} : { limits }),
      ...(pipeline === undefined
        ? {}
        : {
            worker: (carryOut) =>
              (this.#commits = new SimulatedCommits(carryOut, this.faults, pipeline, () => this.#written())),
          }),
    })
  }

  get views(): TickStore['views'] {
    return this.#inner.views
  }

  get reader(): TickStore['reader'] {
    return this.#inner.reader
  }

  readonly crash = (): void => {
    this.#commits?.kill()
  }

  readonly reopen = async (): Promise<void> => {
    this.#inner = this.#inner.reopen()
    this.#isTicking = false
    this.#handedOver = undefined
    if (this.faults.wasCut && !(isSynced ??= isEachCommitSynced()))
      await this.#refill((await this.#ticks()).filter(({ number }) => number <= this.#syncedTick))
    this.#syncedTick = this.head().tick
    this.faults.wasCut = false
  }

  /** The views are folded anew from the log, part by part. */
  readonly rebuild = async (): Promise<void> => {
    const before = digestViews(this.reader)
    await this.#refill(await this.#ticks())
    assertSame(before, digestViews(this.reader))
  }

  /** The store is lost, and comes back from a backup of a backup. */
  readonly restore = async (): Promise<void> => {
    const before = digestViews(this.reader)
    const { ticks, viewsDigest } = await throughBackups(this.#inner)
    assertSame(before, viewsDigest)
    await this.#refill(ticks)
  }

  async #ticks(): Promise<readonly EncodedTick[]> {
    const ticks: EncodedTick[] = []
    for await (const tick of this.#inner.read(0)) ticks.push(tick)
    return ticks
  }

  async #refill(ticks: readonly EncodedTick[]): Promise<void> {
    const { limits } = this.#inner.views
    await this.#inner.close()
    const database = takeScratchStore()
    const toFold = ticks.map((tick) => ({
      tick,
      fold: (fold: LogFold) => {
        fold.fold(tick)
      },
    }))
    await fillStore(database, toFold, limits)
    this.#inner = this.#open(database)
  }

  readonly head: TickStore['head'] = () => this.#inner.head()
  readonly begin: TickStore['begin'] = () => {
    this.#isTicking = true
    this.#inner.begin()
  }
  readonly rollback: TickStore['rollback'] = () => {
    this.#isTicking = false
    this.#inner.rollback()
  }
  readonly tick: TickStore['tick'] = (number) => this.#inner.tick(number)
  readonly read: TickStore['read'] = (fromRevision) => this.#inner.read(fromRevision)
  readonly close: TickStore['close'] = () => Promise.resolve()
  readonly discard = (): Promise<void> => this.#inner.close()
  readonly isWriterIdle = (): boolean => this.#inner.isWriterIdle()

  readonly handOver: NonNullable<TickStore['handOver']> = (tick) => {
    const commit = this.#inner.handOver(tick)
    if (commit === undefined) return undefined
    this.#isTicking = false
    if (this.head().tick === tick.number) {
      // It could only be committed at once.
      this.#watch.onCommitted(tick)
      return commit
    }
    this.#handedOver = tick
    this.#watch.onHandedOver()
    return {
      outcome: () => {
        try {
          const outcome = commit.outcome()
          if (outcome.kind !== 'appended') this.#watch.onFailedHandOver()
          else if (!this.#isTicking) this.#watch.onViews(this.reader)
          return outcome
        } finally {
          this.#handedOver = undefined
        }
      },
      whenDone: commit.whenDone,
    }
  }

  readonly commit: TickStore['commit'] = (tick) =>
    this.faults.isSlow ? this.faults.takeTime().then(() => this.#commit(tick)) : this.#commit(tick)

  #commit(tick: EncodedTick): ReturnType<EmbeddedStore['commit']> {
    this.#isTicking = false
    switch (this.faults.nextFate()) {
      case 'refused':
        this.#inner.rollback()
        return { kind: 'failed', error: diskIsFull() }
      case 'cutBefore':
        this.#inner.rollback()
        throw powerIsOut()
      case 'cutAfter':
        this.#write(tick)
        throw powerIsOut()
      case 'taken':
        return this.#write(tick)
    }
  }

  #write(tick: EncodedTick): ReturnType<EmbeddedStore['commit']> {
    const outcome = this.#inner.commit(tick)
    if (outcome.kind !== 'appended') return outcome
    this.#watch.onCommitted(tick)
    this.#watch.onViews(this.reader)
    return outcome
  }

  #written(): void {
    if (this.#handedOver !== undefined) this.#watch.onCommitted(this.#handedOver)
  }
}
