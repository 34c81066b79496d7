/**
 * A store whose disk fails where a simulation tells it to: it refuses to write, is slow, or takes the whole machine
 * with it, right before a commit or right after. What it has committed it never loses.
 */
import { CarillonError } from '../../errors/CarillonError.js'
import type { EncodedTick } from '../../log/Tick.js'
import { EmbeddedStore } from '../../node/EmbeddedStore.js'
import type { TickStore } from '../../node/TickStore.js'

/** On which side of a commit the power goes out. */
export type PowerCut = 'before' | 'after'

export class SimulatedDisk implements TickStore {
  #inner = EmbeddedStore.inMemory()
  #cut: { readonly side: PowerCut; commitsLeft: number } | undefined
  #failures = 0
  #slowTurns = 0
  readonly #onCommitted: (tick: EncodedTick) => void
  /** Whether the power went out since the store was last opened. */
  wasCut = false

  constructor(onCommitted: (tick: EncodedTick) => void) {
    this.#onCommitted = onCommitted
  }

  get views(): TickStore['views'] {
    return this.#inner.views
  }

  get reader(): TickStore['reader'] {
    return this.#inner.reader
  }

  /** The power goes out at the commit after so many others. */
  cutAt(side: PowerCut, commitsLeft: number): void {
    this.#cut = { side, commitsLeft }
  }

  /** The next commits fail, as on a full disk. */
  failNext(commits: number): void {
    this.#failures = commits
  }

  /** Every commit takes so many turns of the event loop, in which others go on. */
  slowDown(turns: number): void {
    this.#slowTurns = turns
  }

  /** Nothing fails from now on. */
  mend(): void {
    this.#cut = undefined
    this.#failures = 0
    this.#slowTurns = 0
  }

  /** The store as a new process finds it: what is in memory is gone. */
  reopen(): void {
    this.#inner = this.#inner.reopen()
    this.wasCut = false
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

  readonly commit: TickStore['commit'] = (tick) => {
    if (this.#slowTurns === 0) return this.#commit(tick)
    return this.#commitSlowly(tick)
  }

  async #commitSlowly(tick: EncodedTick): Promise<Awaited<ReturnType<TickStore['commit']>>> {
    for (let turn = 0; turn < this.#slowTurns; turn++) await new Promise((resolve) => setImmediate(resolve))
    return this.#commit(tick)
  }

  #commit(tick: EncodedTick): ReturnType<EmbeddedStore['commit']> {
    if (this.#failures > 0) {
      this.#failures -= 1
      this.#inner.rollback()
      return { kind: 'failed', error: new CarillonError('disk-full', 'The simulated disk is full.') }
    }
    const cut = this.#cut
    if (cut === undefined) return this.#write(tick)
    cut.commitsLeft -= 1
    if (cut.commitsLeft >= 0) return this.#write(tick)
    this.#cut = undefined
    this.wasCut = true
    if (cut.side === 'after') this.#write(tick)
    else this.#inner.rollback()
    throw new CarillonError('store-corrupt', 'The power of the simulated machine went out.')
  }

  #write(tick: EncodedTick): ReturnType<EmbeddedStore['commit']> {
    const outcome = this.#inner.commit(tick)
    if (outcome.kind === 'appended') this.#onCommitted(tick)
    return outcome
  }
}
