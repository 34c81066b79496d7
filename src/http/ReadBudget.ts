/**
 * What requests cost, and who has used how much: the time that the answer to a question takes is counted for its token, in the
 * thread that answers and in the loop, and so is the time in which the loop reads a request and writes its answer. A token that has
 * used up its share is refused until it has some again. The local owner is not counted. Where there is no thread, views are
 * read once in each turn of the loop, however many ask, so that ticks come between.
 */
import { setTimeout as sleepFor } from 'node:timers/promises'
import { CarillonError } from '../errors/CarillonError.js'
import { httpLimits } from './limits.js'
import type { Principal } from './Principal.js'
import type { Pace } from '../subscription/Pace.js'
import { RateLimit } from './RateLimit.js'
import type { HostedNode } from './HostedNode.js'
import type { Asker } from './QuestionThread.js'
import type { GivenQuestion, ReadableNode } from './Route.js'

/** So many seconds of a token's share may be used at once. */
const burstSeconds = 20

/** Milliseconds that are read for one stream before others have their turn. */
const turnMs = 5

/** No token has this id. */
const localOwner = 'local'

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export class ReadBudget {
  readonly #shares: RateLimit
  #last: Promise<void> = Promise.resolve()

  constructor(msPerSecond: number = httpLimits.httpReadMsPerSecond) {
    const burst = burstSeconds * msPerSecond
    this.#shares = new RateLimit({ perSecond: msPerSecond, burst, remembered: httpLimits.httpCallers })
  }

  /** Answers a question in the thread of a node, or else with `ask` in the loop. */
  async answer(
    { node, thread }: Pick<HostedNode, 'node' | 'thread'>,
    principal: Principal,
    question: { readonly path: string } & GivenQuestion,
    ask: (node: ReadableNode, given: GivenQuestion) => Promise<unknown>,
  ): Promise<unknown> {
    const answered = await thread?.ask(question, this.askerOf(principal))
    return answered ?? ask(this.nodeFor(node, principal), question)
  }

  /** Who asks, as the thread knows it. */
  askerOf({ token, name }: Principal): Asker {
    if (token === undefined) return { name: localOwner }
    return {
      name: token,
      admit: () => this.#assertLeft(token, name),
      spend: (usedMs) => this.#shares.spend(token, performance.now(), usedMs),
    }
  }

  /** The node, as whoever asks may read it where there is no thread. */
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
        await this.#turn()
        // Only now, for those that were asked at once have waited for each other.
        if (token !== undefined) this.#assertLeft(token, name)
        return node.readViews((db) => this.work(token === undefined ? {} : { token }, () => read(db)))
      },
    }
  }

  /**
   * The pace at which a stream is read for in the loop: what it takes is counted for its token, others have their turn in
   * between, and it goes on when the token has some of its share left.
   */
  paceOf({ token }: Principal): Pace {
    let sinceTurnMs = 0
    const spend = (usedMs: number): void => {
      sinceTurnMs += usedMs
      if (token !== undefined) this.#shares.spend(token, performance.now(), usedMs)
    }
    const wait = async (): Promise<void> => {
      sinceTurnMs = 0
      await this.#turn()
      if (token === undefined) return
      for (let waitMs = this.#waitMs(token); waitMs > 0; waitMs = this.#waitMs(token))
        await sleepFor(waitMs, undefined, { ref: false })
    }
    return {
      work: (does) => {
        const beganMs = performance.now()
        try {
          return does()
        } finally {
          spend(performance.now() - beganMs)
        }
      },
      rest: () => (sinceTurnMs < turnMs ? undefined : wait()),
    }
  }

  /** Refuses a token that has used up its share. */
  assertLeft({ token, name }: Principal): void {
    if (token !== undefined) this.#assertLeft(token, name)
  }

  /** The same, and takes nothing of a share that is not used up: what the request takes is counted when it is known. */
  assertNotUsedUp({ token, name }: Principal): void {
    if (token !== undefined) this.#refuse(name, this.#shares.waitMs(token, performance.now()))
  }

  /** Does something in the loop at once; what that takes is counted. */
  work<A>({ token }: Pick<Principal, 'token'>, does: () => A): A {
    if (token === undefined) return does()
    const beganMs = performance.now()
    try {
      return does()
    } finally {
      this.#shares.spend(token, performance.now(), performance.now() - beganMs)
    }
  }

  /** Takes one millisecond, or says how long until there is one. */
  #waitMs(token: string): number {
    return this.#shares.take(token, performance.now())
  }

  #assertLeft(token: string, name: string): void {
    this.#refuse(name, this.#waitMs(token))
  }

  #refuse(name: string, waitMs: number): void {
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
