/**
 * A store in memory that hands every tick over, and commits none before it is told to.
 */
import { EmbeddedStore } from '../../src/entries/logs.js'
import type { EncodedTick, Head } from '../../src/log/Tick.js'
import type { PendingCommit } from '../../src/engine/LoopStore.js'
import type { TickStore } from '../../src/storage/TickStore.js'

export class HeldCommits implements TickStore {
  readonly #inner = EmbeddedStore.inMemory()
  readonly #waiting: (() => void)[] = []
  /** From when on flights are held; the start of a node is not. */
  isHolding = false
  /** How often someone has waited for a commit that was not told to go on. */
  waited = 0
  /** When set, the store breaks: nothing is committed any more. */
  breaksLanding: Error | undefined
  /** When set, the store breaks: no tick can be handed over any more. */
  breaksHandOver: Error | undefined

  readonly views = this.#inner.views
  readonly reader = this.#inner.reader
  /** Where the log ends for those outside, while a tick is pending. */
  #committedUpTo: Head | undefined
  readonly head = (): Head => this.#committedUpTo ?? this.#inner.head()
  readonly begin = this.#inner.begin
  readonly rollback = this.#inner.rollback
  readonly commit = this.#inner.commit
  readonly tick = this.#inner.tick
  readonly close = this.#inner.close
  readonly read: TickStore['read'] = (fromRevision) => this.#inner.read(fromRevision)

  readonly handOver = (tick: EncodedTick): PendingCommit | undefined => {
    if (!this.isHolding) return undefined
    if (this.breaksHandOver !== undefined) throw this.breaksHandOver
    this.#committedUpTo = this.#inner.head()
    const outcome = this.#inner.commit(tick)
    let hasLanded = false
    return {
      outcome: () => {
        if (!hasLanded) this.waited += 1
        this.#committedUpTo = undefined
        if (this.breaksLanding !== undefined) throw this.breaksLanding
        return outcome
      },
      whenDone: (callback) => {
        this.#waiting.push(() => {
          hasLanded = true
          callback()
        })
      },
    }
  }

  /** Commits everything that is pending. */
  commitPending(): void {
    for (const commit of this.#waiting.splice(0)) commit()
  }
}
