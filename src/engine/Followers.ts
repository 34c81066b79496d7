/**
 * Those who are told of every tick, in order and once it is durable. None of them can keep the others from hearing of it,
 * nor the node from going on.
 */
import { messageOf } from '../errors/CarillonError.js'
import type { Committed } from './Committed.js'
import type { Logger } from './Logger.js'
import type { OpenTick } from './OpenTick.js'

export type Follower = (committed: Committed) => void

export class Followers {
  readonly #followers = new Set<Follower>()
  readonly #logger: Logger

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** Gives the function that ends it. */
  add(follower: Follower): () => void {
    this.#followers.add(follower)
    return () => {
      this.#followers.delete(follower)
    }
  }

  tell(tick: OpenTick): void {
    if (tick.isEmpty || this.#followers.size === 0) return
    const committed = tick.committed()
    for (const follower of [...this.#followers]) {
      try {
        follower(committed)
      } catch (error) {
        this.#logger.error(`A follower of the log threw: ${messageOf(error)}`, {})
      }
    }
  }
}
