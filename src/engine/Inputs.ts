/**
 * What waits for the loop's next tick: calls of the API, ends of steps, messages. Each is decided once or told why not,
 * and no more wait than may.
 */
import type { ActiveTick } from './ActiveTick.js'
import { CarillonError, concernsNode, NodeFault } from '../errors/CarillonError.js'
import type { EngineLimits } from './limits.js'
import type { OpenTick } from './OpenTick.js'
import { Queue } from './Queue.js'

export type Input = {
  readonly decide: (tick: ActiveTick) => void
  /** Called when the tick that held the input could not be written, or the node has stopped. */
  readonly fail: (error: CarillonError) => void
  /** Inputs that report something that has really happened are kept until they are recorded. */
  readonly mustBeRecorded: boolean
}

export class Inputs {
  readonly #limits: EngineLimits
  readonly #waiting = new Queue<Input>()

  constructor(limits: EngineLimits) {
    this.#limits = limits
  }

  get length(): number {
    return this.#waiting.length
  }

  /** Resolves once what the input decided is released; rejects with the reason if it was refused. */
  add<A>(decide: (tick: ActiveTick) => A, mustBeRecorded: boolean): Promise<A> {
    return new Promise<A>((resolve, reject) => {
      if (this.#waiting.length >= this.#limits.waitingInputs && !mustBeRecorded) {
        reject(
          new CarillonError(
            'node-busy',
            `${this.#limits.waitingInputs} requests are waiting already. Try again in a moment.`,
            { waiting: this.#waiting.length },
          ),
        )
        return
      }
      this.#waiting.push({
        decide: (tick) => {
          const answer = decide(tick)
          tick.release(() => {
            resolve(answer)
          })
        },
        fail: reject,
        mustBeRecorded,
      })
    })
  }

  /** Decides as many as the tick has room for; `taken` are those, also when one of them breaks the node. */
  decide(tick: OpenTick, taken: Input[]): void {
    let count = 0
    while (count < this.#limits.inputsPerTick && !tick.isFull()) {
      const input = this.#waiting.take()
      if (input === undefined) return
      taken.push(input)
      count += 1
      decideOne(tick, input)
    }
  }

  /**
   * Facts about the world wait for the next tick; callers are told, those who wait behind them too, since they may want to
   * decide anew. Otherwise the last of many would wait for as many tries as there are ticks before them.
   */
  giveBack(taken: readonly Input[], error: CarillonError): void {
    const all = [...taken, ...this.#waiting.drain()]
    this.#waiting.putBack(all.filter(({ mustBeRecorded }) => mustBeRecorded))
    for (const input of all) if (!input.mustBeRecorded) input.fail(error)
  }

  failAll(reason: CarillonError): void {
    for (const input of this.#waiting.drain()) input.fail(reason)
  }
}

/** A refusal is the answer of the one who asked, as long as nothing was stated before it. */
const decideOne = (tick: OpenTick, input: Input): void => {
  const before = tick.events.length
  try {
    input.decide(tick)
  } catch (error) {
    if (!(error instanceof CarillonError) || concernsNode(error)) throw error
    if (tick.events.length !== before)
      throw new NodeFault(
        'invariant-broken',
        `An input was refused after it had stated facts: ${error.message}`,
        {},
        error,
      )
    tick.release(() => {
      input.fail(error)
    })
  }
}
