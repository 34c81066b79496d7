/**
 * A log that is kept elsewhere, as one node reaches it in a simulation: it may refuse, be slow, leave an append
 * unanswered whether it took it or not, or be the last thing the node did before its power went out.
 */
import type { AppendOutcome, EventLog } from '../../log/EventLog.js'
import { MemoryLog } from '../../log/memory/MemoryLog.js'
import type { EncodedTick } from '../../log/Tick.js'
import { diskIsFull, powerIsOut, type DiskFaults } from './DiskFaults.js'

const unanswered: AppendOutcome = { kind: 'unknown', error: new Error('The simulated log did not answer.') }

export class SimulatedLog implements EventLog {
  readonly #inner = new MemoryLog()
  readonly #faults: DiskFaults
  readonly #onAppended: (tick: EncodedTick) => void
  /** The tick of which the node does not know whether it was taken. */
  #inDoubt: string | undefined

  constructor(faults: DiskFaults, onAppended: (tick: EncodedTick) => void) {
    this.#faults = faults
    this.#onAppended = onAppended
  }

  readonly head: EventLog['head'] = () => this.#inner.head()
  readonly read: EventLog['read'] = (fromRevision) => this.#inner.read(fromRevision)
  readonly follow: EventLog['follow'] = (fromRevision, signal) => this.#inner.follow(fromRevision, signal)
  readonly close: EventLog['close'] = () => Promise.resolve()

  readonly append: EventLog['append'] = async (expected, tick) => {
    await this.#faults.takeTime()
    const append = async (): Promise<AppendOutcome> => {
      const outcome = await this.#inner.append(expected, tick)
      if (outcome.kind === 'appended') this.#onAppended(tick)
      return outcome
    }
    const silence = this.#faults.nextSilence()
    if (silence !== 'answered') {
      this.#inDoubt = tick.hash
      if (silence === 'arrives') await append()
      return unanswered
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
