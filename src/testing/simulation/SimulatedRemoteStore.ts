/**
 * A store whose log is kept elsewhere, with everything that can go wrong between the two. The log outlives the node;
 * its views do not, so each start folds them anew.
 */
import { LogBackedStore } from '../../storage/LogBackedStore.js'
import type { StorageLimits } from '../../storage/limits.js'
import type { TickStore } from '../../storage/TickStore.js'
import { DiskFaults } from './DiskFaults.js'
import { SimulatedLog } from './SimulatedLog.js'
import type { SimulatedStore, StoreWatch } from './SimulatedStore.js'

/** Turns of the event loop between two looks at a log that did not answer. */
const turnsBetweenLooks = 3

/** No real time passes in a simulation; what waits lets others go first. */
const wait = async (): Promise<void> => {
  for (let turn = 0; turn < turnsBetweenLooks; turn++) await new Promise((resolve) => setImmediate(resolve))
}

export class SimulatedRemoteStore implements SimulatedStore {
  readonly faults: DiskFaults
  readonly #log: SimulatedLog
  readonly #watch: StoreWatch
  readonly #limits: Partial<StorageLimits>
  #inner: LogBackedStore

  private constructor(
    faults: DiskFaults,
    watch: StoreWatch,
    log: SimulatedLog,
    inner: LogBackedStore,
    limits: Partial<StorageLimits>,
  ) {
    this.#limits = limits
    this.faults = faults
    this.#watch = watch
    this.#log = log
    this.#inner = inner
  }

  static async open(watch: StoreWatch, limits: Partial<StorageLimits> = {}): Promise<SimulatedRemoteStore> {
    const faults = new DiskFaults()
    const log = new SimulatedLog(faults, watch.onCommitted)
    const inner = await LogBackedStore.open(log, ':memory:', { wait, limits })
    return new SimulatedRemoteStore(faults, watch, log, inner, limits)
  }

  get views(): TickStore['views'] {
    return this.#inner.views
  }

  get reader(): TickStore['reader'] {
    return this.#inner.reader
  }

  readonly crash = (): void => undefined

  readonly reopen = async (): Promise<void> => {
    await this.#inner.close()
    this.#log.answerAgain()
    this.#inner = await LogBackedStore.open(this.#log, ':memory:', { wait, limits: this.#limits })
    this.faults.wasCut = false
  }

  readonly head: TickStore['head'] = () => this.#inner.head()
  readonly begin: TickStore['begin'] = () => {
    this.#inner.begin()
  }
  readonly rollback: TickStore['rollback'] = () => {
    this.#inner.rollback()
  }
  readonly commit: TickStore['commit'] = async (tick) => {
    const outcome = await this.#inner.commit(tick)
    if (outcome.kind === 'appended') this.#watch.onViews(this.reader)
    return outcome
  }
  readonly tick: TickStore['tick'] = (number) => this.#inner.tick(number)
  readonly read: TickStore['read'] = (fromRevision) => this.#inner.read(fromRevision)
  readonly onBroken: NonNullable<TickStore['onBroken']> = (listener) => this.#inner.onBroken(listener)
  readonly probeLog = (): Promise<void> => this.#inner.probeLog()
  readonly abandon = (): void => {
    this.#inner.abandon()
  }
  readonly resume = (): void => {
    this.#inner.resume()
  }
  readonly close: TickStore['close'] = () => Promise.resolve()
  readonly discard = (): Promise<void> => this.#inner.close()
}
