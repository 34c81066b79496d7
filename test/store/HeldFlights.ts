/**
 * A store in memory that hands every tick over, and on which no tick lands before it is told to.
 */
import { EmbeddedStore } from '../../src/index.js'
import type { EncodedTick, Head } from '../../src/log/Tick.js'
import type { Flight } from '../../src/engine/LoopStore.js'
import type { TickStore } from '../../src/storage/TickStore.js'

export class HeldFlights implements TickStore {
  readonly #inner = EmbeddedStore.inMemory()
  readonly #landings: (() => void)[] = []
  /** From when on flights are held; the start of a node is not. */
  isHolding = false
  /** How often someone has waited for a flight that was not told to land. */
  waited = 0
  /** When set, the store breaks: no flight lands any more. */
  breaksLanding: Error | undefined
  /** When set, the store breaks: no tick can be handed over any more. */
  breaksHandOver: Error | undefined

  readonly views = this.#inner.views
  readonly reader = this.#inner.reader
  /** Where the log ends for those outside, while a tick is in flight. */
  #landedUpTo: Head | undefined
  readonly head = (): Head => this.#landedUpTo ?? this.#inner.head()
  readonly begin = this.#inner.begin
  readonly rollback = this.#inner.rollback
  readonly commit = this.#inner.commit
  readonly tick = this.#inner.tick
  readonly close = this.#inner.close
  readonly read: TickStore['read'] = (fromRevision) => this.#inner.read(fromRevision)

  readonly handOver = (tick: EncodedTick): Flight | undefined => {
    if (!this.isHolding) return undefined
    if (this.breaksHandOver !== undefined) throw this.breaksHandOver
    this.#landedUpTo = this.#inner.head()
    const outcome = this.#inner.commit(tick)
    let hasLanded = false
    return {
      land: () => {
        if (!hasLanded) this.waited += 1
        this.#landedUpTo = undefined
        if (this.breaksLanding !== undefined) throw this.breaksLanding
        return outcome
      },
      whenLanded: (callback) => {
        this.#landings.push(() => {
          hasLanded = true
          callback()
        })
      },
    }
  }

  /** Lets everything land that is in flight. */
  land(): void {
    for (const landed of this.#landings.splice(0)) landed()
  }
}
