/**
 * The activities that a recheck has moved to another instant since the node started. The same code must give the same
 * answer about the same state, so whatever is moved once more depends on something else, such as the clock.
 */
import type { EngineLimits } from './limits.js'

export class RecentMoves {
  /** Sequence numbers of states, least recently moved first. */
  readonly #most: number
  readonly #moved = new Set<number>()

  constructor({ movesRemembered }: EngineLimits) {
    this.#most = movesRemembered
  }

  has(stateSeq: number): boolean {
    return this.#moved.has(stateSeq)
  }

  add(stateSeq: number): void {
    this.#moved.delete(stateSeq)
    this.#moved.add(stateSeq)
    if (this.#moved.size <= this.#most) return
    for (const oldest of this.#moved) {
      this.#moved.delete(oldest)
      return
    }
  }
}
