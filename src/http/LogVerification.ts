/**
 * The check of a log beside a running node: a little at a time, so that no tick waits for it, and what it found is kept
 * for whoever asks.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CarillonError } from '../errors/CarillonError.js'
import { verifyLog, type LogReport } from '../history/verifyLog.js'
import type { Node } from '../node/Node.js'
import type { EncodedTick } from '../log/Tick.js'
import { httpLimits } from './limits.js'

/** After so long others have their turn. */
const turnMs = 5

/** A check is followed by a rest so many times as long. */
const restPerCheck = 4

export type VerificationState =
  | { readonly state: 'never' }
  | { readonly state: 'running'; readonly verifiedTo: number }
  | { readonly state: 'done'; readonly report: LogReport; readonly atMs: number }

async function* inTurns(ticks: AsyncIterable<EncodedTick>): AsyncGenerator<EncodedTick> {
  let turnBeganMs = performance.now()
  for await (const tick of ticks) {
    yield tick
    if (performance.now() - turnBeganMs < turnMs) continue
    await nextTurn()
    turnBeganMs = performance.now()
  }
}

export class LogVerification {
  readonly #node: Pick<Node, 'readLog' | 'nowMs'>
  #state: VerificationState = { state: 'never' }
  /** When the next one may begin, of a caller whose work is counted. */
  #nextMs = 0

  constructor(node: Pick<Node, 'readLog' | 'nowMs'>) {
    this.#node = node
  }

  get state(): VerificationState {
    return this.#state
  }

  /**
   * Begins a check unless one is under way. A caller whose work is counted waits after one for a multiple of what it took:
   * checks without end would take a core of the machine.
   */
  begin(isCounted: boolean): void {
    if (this.#state.state === 'running') return
    const beganMs = performance.now()
    if (isCounted && beganMs < this.#nextMs) {
      const seconds = Math.ceil((this.#nextMs - beganMs) / 1_000)
      throw new CarillonError(
        'rate-exceeded',
        `The log was checked just now, and what was found is still there. Check it again in ${seconds} s.`,
        { retryAfterSeconds: seconds },
      )
    }
    this.#state = { state: 'running', verifiedTo: -1 }
    verifyLog(inTurns(this.#node.readLog(0)), {
      onProgress: (events) => {
        this.#state = { state: 'running', verifiedTo: events - 1 }
      },
    })
      .then(
        (report) => {
          this.#state = { state: 'done', report, atMs: this.#node.nowMs }
        },
        () => {
          // The store could not be read: nothing was found out, and the node will say so itself.
          this.#state = { state: 'never' }
        },
      )
      .finally(() => {
        const endedMs = performance.now()
        this.#nextMs = endedMs + Math.max(httpLimits.verificationRestMs, restPerCheck * (endedMs - beganMs))
      })
  }
}
