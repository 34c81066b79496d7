/**
 * The check of a log beside a running node: a slice at a time, so that no tick waits for it, and what it found is kept
 * for whoever asks.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { verifyLog, type LogReport } from '../history/verifyLog.js'
import type { Node } from '../node/Node.js'
import type { EncodedTick } from '../log/Tick.js'

const ticksPerSlice = 20

export type VerificationState =
  | { readonly state: 'never' }
  | { readonly state: 'running'; readonly verifiedTo: number }
  | { readonly state: 'done'; readonly report: LogReport; readonly atMs: number }

async function* inSlices(ticks: AsyncIterable<EncodedTick>): AsyncGenerator<EncodedTick> {
  let count = 0
  for await (const tick of ticks) {
    yield tick
    count += 1
    if (count % ticksPerSlice === 0) await nextTurn()
  }
}

export class LogVerification {
  readonly #node: Node
  #state: VerificationState = { state: 'never' }

  constructor(node: Node) {
    this.#node = node
  }

  get state(): VerificationState {
    return this.#state
  }

  /** Begins a check unless one is under way. */
  begin(): void {
    if (this.#state.state === 'running') return
    this.#state = { state: 'running', verifiedTo: -1 }
    verifyLog(inSlices(this.#node.readLog(0)), {
      onProgress: (events) => {
        this.#state = { state: 'running', verifiedTo: events - 1 }
      },
    }).then(
      (report) => {
        this.#state = { state: 'done', report, atMs: this.#node.nowMs }
      },
      () => {
        // The store could not be read: nothing was found out, and the node will say so itself.
        this.#state = { state: 'never' }
      },
    )
  }
}
