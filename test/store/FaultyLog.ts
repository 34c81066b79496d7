/**
 * A log whose next appends go wrong in the way a test says; everything else passes through to a real one.
 */
import { CarillonError, NodeFault } from '../../src/errors/CarillonError.js'
import type { AppendOutcome, EventLog } from '../../src/log/EventLog.js'
import type { EncodedTick, Head } from '../../src/log/Tick.js'

export type AppendFault = (
  append: () => Promise<AppendOutcome>,
  expected: Head,
  tick: EncodedTick,
) => Promise<AppendOutcome>

export class FaultyLog implements EventLog {
  readonly #log: EventLog
  readonly #faults: AppendFault[] = []
  /** How often an append was asked for. */
  appends = 0

  constructor(log: EventLog) {
    this.#log = log
  }

  /** What the next appends meet, one fault each. */
  next(...faults: readonly AppendFault[]): void {
    this.#faults.push(...faults)
  }

  /** Whether the log cannot even be asked where it ends. */
  isAway = false
  /** What it says while it is away. */
  whileAway = new CarillonError('log-unreachable', 'The server does not answer.')

  readonly head = (): Promise<Head> => (this.isAway ? Promise.reject(this.whileAway) : this.#log.head())

  readonly append: EventLog['append'] = (expected, tick) => {
    this.appends += 1
    const append = (): Promise<AppendOutcome> => this.#log.append(expected, tick)
    const fault = this.#faults.shift()
    return fault === undefined ? append() : fault(append, expected, tick)
  }

  readonly read = (fromRevision: number): AsyncIterable<EncodedTick> => this.#log.read(fromRevision)
  readonly follow = (fromRevision: number, signal: AbortSignal): AsyncIterable<EncodedTick> =>
    this.#log.follow(fromRevision, signal)
  readonly close = (): Promise<void> => this.#log.close()
}

const lost: AppendOutcome = { kind: 'unknown', error: new NodeFault('log-unreachable', 'the connection was lost') }

/** The log could not take it, and says so. */
export const failed: AppendFault = () =>
  Promise.resolve({ kind: 'failed', error: new NodeFault('disk-full', 'no room on the log') })

/** It was taken, but the answer never came. */
export const takenButUnknown: AppendFault = async (append) => {
  await append()
  return lost
}

/** It never arrived, and no answer came. */
export const lostOnTheWay: AppendFault = () => Promise.resolve(lost)
