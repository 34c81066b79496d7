/**
 * A store whose log is kept elsewhere, with everything that can go wrong between the two. The log outlives the node;
 * its views do not, so each start folds them anew. A standby follows the log with views of its own, tick by tick, and can
 * take over at any moment.
 */
import { assertInvariant } from '../../errors/CarillonError.js'
import type { Database } from '../../storage/Database.js'
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

/** What another process of the node has. */
type Standby = {
  readonly log: SimulatedLog
  readonly store: LogBackedStore
  readonly stopFollowing: () => Promise<void>
}

export class SimulatedRemoteStore implements SimulatedStore {
  readonly faults: DiskFaults
  readonly #log: SimulatedLog
  readonly #watch: StoreWatch
  readonly #limits: Partial<StorageLimits>
  #inner: LogBackedStore
  #standby: Standby | undefined

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
    const log = new SimulatedLog(faults, watch)
    const inner = await LogBackedStore.open(log, ':memory:', { wait, limits })
    const store = new SimulatedRemoteStore(faults, watch, log, inner, limits)
    await store.#standBy()
    return store
  }

  async #standBy(): Promise<void> {
    const log = this.#log.another()
    const store = await LogBackedStore.open(log, ':memory:', { wait, limits: this.#limits })
    const enough = new AbortController()
    const following = store.follow(enough.signal, () => undefined)
    // Whoever stops it hears of it, which may be long after.
    following.catch(() => undefined)
    const stopFollowing = (): Promise<void> => {
      enough.abort()
      return following
    }
    this.#standby = { log, store, stopFollowing }
  }

  /** The store of the standby, once it stands where the log does. This one is still its process's. */
  async successor(): Promise<SimulatedRemoteStore> {
    const standby = this.#standby
    assertInvariant(standby !== undefined, 'a standby takes over once')
    this.#standby = undefined
    const { log, store, stopFollowing } = standby
    await stopFollowing()
    await store.catchUp()
    this.#log.displaced()
    log.answerAgain()
    const successor = new SimulatedRemoteStore(this.faults, this.#watch, log, store, this.#limits)
    await successor.#standBy()
    return successor
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
  /** What the standby has, where it has not taken over, once it stands where the log does. */
  readonly standbyReader = async (): Promise<Database | undefined> => {
    if (this.#standby === undefined) return undefined
    const { store, stopFollowing } = this.#standby
    await stopFollowing()
    await store.catchUp()
    return store.reader
  }

  readonly discard = async (): Promise<void> => {
    const { store, stopFollowing } = this.#standby ?? {}
    // Why it has stopped before was told to whoever needed it.
    await stopFollowing?.().catch(() => undefined)
    await store?.close()
    await this.#inner.close()
  }
}
