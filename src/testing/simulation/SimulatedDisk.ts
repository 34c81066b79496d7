/**
 * An embedded store whose disk fails where a simulation tells it to. What it has committed it never loses. Large ticks
 * may be committed while the next is decided.
 */
import type { EncodedTick } from '../../log/Tick.js'
import { EmbeddedStore } from '../../storage/EmbeddedStore.js'
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

export class SimulatedDisk implements SimulatedStore {
  readonly faults = new DiskFaults()
  readonly #watch: StoreWatch
  #commits: SimulatedCommits | undefined
  #inner: EmbeddedStore
  /** Whether a tick is being decided, whose rows are not to be looked at yet. */
  #isTicking = false
  /** The tick that was handed over, as long as it is not in the log. */
  #handedOver: EncodedTick | undefined

  constructor(watch: StoreWatch, { limits, pipeline }: SimulatedDiskOptions = {}) {
    this.#watch = watch
    this.#inner = EmbeddedStore.inMemory({
      database: takeScratchStore(),
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

  readonly reopen = (): Promise<void> => {
    this.#inner = this.#inner.reopen()
    this.#isTicking = false
    this.#handedOver = undefined
    this.faults.wasCut = false
    return Promise.resolve()
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
