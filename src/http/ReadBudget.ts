/**
 * What questions cost, and who has used how much: the time that each takes from the loop is counted for its token. Views are
 * read once in each turn of the loop, however many ask, so that ticks come between; a token that has used up its share is
 * refused until it has some again. The local owner is not counted.
 */
import { CarillonError } from '../errors/CarillonError.js'
import { httpLimits } from './limits.js'
import type { Principal } from './Principal.js'
import { RateLimit } from './RateLimit.js'
import type { ReadableNode } from './Route.js'

/** So many seconds of a token's share may be used at once. */
const burstSeconds = 20

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export class ReadBudget {
  readonly #shares: RateLimit
  #last: Promise<void> = Promise.resolve()

  constructor(msPerSecond: number = httpLimits.httpReadMsPerSecond) {
    const burst = burstSeconds * msPerSecond
    this.#shares = new RateLimit({ perSecond: msPerSecond, burst, remembered: httpLimits.httpCallers })
  }

  /** The node, as whoever asks may read it. */
  nodeFor(node: ReadableNode, { token, name }: Principal): ReadableNode {
    return {
      get network() {
        return node.network
      },
      get head() {
        return node.head
      },
      get nowMs() {
        return node.nowMs
      },
      readLog: (from) => node.readLog(from),
      readViews: async (read) => {
        if (token !== undefined) this.#assertLeft(token, name)
        await this.#turn()
        return node.readViews((db) => {
          const beganMs = performance.now()
          try {
            return read(db)
          } finally {
            if (token !== undefined) this.#shares.spend(token, performance.now(), performance.now() - beganMs)
          }
        })
      },
    }
  }

  #assertLeft(token: string, name: string): void {
    const waitMs = this.#shares.take(token, performance.now())
    if (waitMs === 0) return
    const seconds = Math.ceil(waitMs / 1_000)
    throw new CarillonError(
      'rate-exceeded',
      `The questions of the token "${name}" have taken more time than it has. Ask for less, or try again in ${seconds} s.`,
      { retryAfterSeconds: seconds },
    )
  }

  /** Resolves in a turn of the loop that nobody else reads in. */
  #turn(): Promise<void> {
    this.#last = this.#last.then(nextTurn)
    return this.#last
  }
}
