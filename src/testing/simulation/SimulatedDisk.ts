/**
 * An embedded store whose disk fails where a simulation tells it to. What it has committed it never loses.
 */
import type { EncodedTick } from '../../log/Tick.js'
import { EmbeddedStore } from '../../storage/EmbeddedStore.js'
import type { TickStore } from '../../storage/TickStore.js'
import { DiskFaults, diskIsFull, powerIsOut } from './DiskFaults.js'
import type { SimulatedStore, StoreWatch } from './SimulatedStore.js'

export class SimulatedDisk implements SimulatedStore {
  readonly faults = new DiskFaults()
  #inner = EmbeddedStore.inMemory()
  readonly #watch: StoreWatch

  constructor(watch: StoreWatch) {
    this.#watch = watch
  }

  get views(): TickStore['views'] {
    return this.#inner.views
  }

  get reader(): TickStore['reader'] {
    return this.#inner.reader
  }

  readonly reopen = (): Promise<void> => {
    this.#inner = this.#inner.reopen()
    this.faults.wasCut = false
    return Promise.resolve()
  }

  readonly head: TickStore['head'] = () => this.#inner.head()
  readonly begin: TickStore['begin'] = () => {
    this.#inner.begin()
  }
  readonly rollback: TickStore['rollback'] = () => {
    this.#inner.rollback()
  }
  readonly tick: TickStore['tick'] = (number) => this.#inner.tick(number)
  readonly read: TickStore['read'] = (fromRevision) => this.#inner.read(fromRevision)
  readonly close: TickStore['close'] = () => Promise.resolve()

  readonly commit: TickStore['commit'] = (tick) =>
    this.faults.isSlow ? this.faults.takeTime().then(() => this.#commit(tick)) : this.#commit(tick)

  #commit(tick: EncodedTick): ReturnType<EmbeddedStore['commit']> {
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
}
