/**
 * A log that is kept elsewhere, as one node reaches it in a simulation: it may refuse, be slow, leave an append and the
 * question after it unanswered whether it took the append or not, or be the last thing the node did before its power
 * went out.
 */
import { NodeFault } from '../../errors/CarillonError.js'
import type { AppendOutcome, EventLog } from '../../log/EventLog.js'
import { MemoryLog } from '../../logs/memory/MemoryLog.js'
import type { EncodedTick } from '../../log/Tick.js'
import type { StoreWatch } from './SimulatedStore.js'
import { DiskFaults, diskIsFull, powerIsOut } from './DiskFaults.js'

const silence = (): NodeFault => new NodeFault('log-unreachable', 'The simulated log did not answer.')

/** What a simulation wants to know about the appends to a log. */
type LogWatch = Pick<StoreWatch, 'onCommitted' | 'onRefused'>

export class SimulatedLog implements EventLog {
  readonly #inner: MemoryLog
  #faults: DiskFaults
  readonly #onAppended: (tick: EncodedTick) => void
  readonly #onRefused: () => void
  /** The tick of which the node does not know whether it was taken. */
  #inDoubt: string | undefined
  /** A server that has left an append unanswered does not answer the first question about it either. */
  #isAway = false

  constructor(faults: DiskFaults, { onCommitted, onRefused }: LogWatch, inner = new MemoryLog()) {
    this.#inner = inner
    this.#faults = faults
    this.#onAppended = onCommitted
    this.#onRefused = onRefused
  }

  readonly head: EventLog['head'] = () => {
    if (!this.#isAway) return this.#inner.head()
    this.#isAway = false
    return Promise.reject(silence())
  }
  readonly read: EventLog['read'] = (fromRevision) => this.#inner.read(fromRevision)
  readonly follow: EventLog['follow'] = (fromRevision, signal) => this.#inner.follow(fromRevision, signal)
  readonly close: EventLog['close'] = () => this.#inner.close()

  /** The node was started again, which takes longer than the silence. */
  answerAgain(): void {
    this.#isAway = false
  }

  /** The same log as another process reaches it. */
  another(): SimulatedLog {
    const watch = { onCommitted: this.#onAppended, onRefused: this.#onRefused }
    return new SimulatedLog(this.#faults, watch, this.#inner.another())
  }

  /** Another process has taken over: what is yet to go wrong befalls that one. */
  displaced(): void {
    this.#faults = new DiskFaults()
  }

  readonly append: EventLog['append'] = async (expected, tick) => {
    await this.#faults.takeTime()
    const append = async (): Promise<AppendOutcome> => {
      const outcome = await this.#inner.append(expected, tick)
      if (outcome.kind === 'appended') this.#onAppended(tick)
      if (outcome.kind === 'refused') this.#onRefused()
      return outcome
    }
    const answer = this.#faults.nextSilence()
    if (answer !== 'answered') {
      this.#inDoubt = tick.hash
      this.#isAway = true
      if (answer === 'arrives') await append()
      return { kind: 'unknown', error: silence() }
    }
    // Whoever asks again about the same tick has been through the rest already.
    if (this.#inDoubt === tick.hash) return append()
    switch (this.#faults.nextFate()) {
      case 'refused':
        return { kind: 'failed', error: diskIsFull() }
      case 'cutBefore':
        throw powerIsOut()
      case 'cutAfter':
        await append()
        throw powerIsOut()
      case 'taken':
        return append()
    }
  }
}
