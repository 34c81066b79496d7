/**
 * What `carillon run` tells while it runs: a line for each flow that ends and each activity that does not go its
 * way. So many a second and no more; the rest is counted and told in one line.
 */
import type { RecordedError } from '../errors/CarillonError.js'
import { FlowIdC, type FlowId } from '../log/FlowId.js'
import type { FlowSummary } from '../flow/FlowSummary.js'
import { cliLimits } from './limits.js'
import type { StateRef } from '../ledger/StateRef.js'
import type { DomainEvent } from '../log/events.js'
import type { Committed } from '../engine/Committed.js'
import { instantFromMillis, type Instant } from '../time/Instant.js'

/** How something ended, or why it waits. */
export type LiveOutcome =
  'completed' | 'failed' | 'killed' | 'superseded' | 'parked' | 'missed' | 'start failed' | 'draining' | 'drained'

export type LiveLine = {
  readonly at: Instant
  readonly outcome: LiveOutcome
  readonly flow?: FlowId
  readonly name?: string
  /** The state whose activity it was. */
  readonly ref?: StateRef
  readonly due?: Instant
  readonly latenessMs?: number
  readonly attempt?: number
  readonly result?: unknown
  readonly error?: RecordedError
  readonly by?: string
}

/** What did not get a line of its own. */
export type Untold = Readonly<Partial<Record<LiveOutcome, number>>>

export type LiveLinesParts = {
  readonly tell: (line: LiveLine) => void
  readonly tellMore: (untold: Untold) => void
  readonly flow: (id: FlowId) => Promise<FlowSummary | undefined>
  /** Calls back once after so many milliseconds; the returned function cancels it. */
  readonly later: (ms: number, callback: () => void) => () => void
}

const windowMs = 1_000

const lineOf = (event: DomainEvent, at: Instant): LiveLine | undefined => {
  switch (event.type) {
    case 'FlowEnded':
    case 'FlowParked': {
      const outcome = event.type === 'FlowParked' ? 'parked' : event.outcome
      const by = event.type === 'FlowEnded' && event.by !== undefined ? { by: event.by } : {}
      return { at, outcome, ...(FlowIdC.is(event.flow) ? { flow: event.flow } : {}), ...by }
    }
    case 'ActivityMissed': {
      const { ref, due, attempt, latenessMs } = event
      return { at, outcome: 'missed', ref, due, attempt, latenessMs }
    }
    case 'ActivityStartFailed':
    case 'ActivityParked': {
      const { ref, due, attempt, latenessMs } = event
      const { code, message } = event.error
      const outcome = event.type === 'ActivityParked' ? 'parked' : 'start failed'
      return { at, outcome, ref, due, attempt, latenessMs, error: { code, message } }
    }
    case 'DrainingStarted':
      return { at, outcome: 'draining', by: event.by }
    case 'DrainingEnded':
      return { at, outcome: 'drained', by: event.by }
    default:
      return undefined
  }
}

const withFlow = (line: LiveLine, flow: FlowSummary): LiveLine => {
  const { startedBy, name, result, error } = flow
  const origin =
    startedBy.kind !== 'activity'
      ? { by: line.by ?? (startedBy.kind === 'client' ? startedBy.by : `session with ${startedBy.party}`) }
      : {
          ref: startedBy.ref,
          due: startedBy.due,
          latenessMs: startedBy.latenessMs,
          attempt: startedBy.attempt,
        }
  return {
    ...line,
    name,
    ...origin,
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
  }
}

export class LiveLines {
  readonly #parts: LiveLinesParts
  #told = 0
  #untold: Partial<Record<LiveOutcome, number>> = {}
  #cancel: (() => void) | undefined
  /** Lines are told in the order of the log, though what belongs to a flow is looked up meanwhile. */
  #last: Promise<void> = Promise.resolve()

  constructor(parts: LiveLinesParts) {
    this.#parts = parts
  }

  readonly hear = ({ events, atMs }: Pick<Committed, 'events' | 'atMs'>): void => {
    const at = instantFromMillis(atMs)
    for (const event of events) {
      const line = lineOf(event, at)
      if (line !== undefined) this.#take(line)
    }
  }

  /** Tells what is left to tell. */
  async end(): Promise<void> {
    this.#closeWindow()
    await this.#last
  }

  #take(line: LiveLine): void {
    this.#cancel ??= this.#parts.later(windowMs, () => {
      this.#closeWindow()
    })
    if (this.#told >= cliLimits.liveLinesPerSecond) {
      this.#untold[line.outcome] = (this.#untold[line.outcome] ?? 0) + 1
      return
    }
    this.#told += 1
    this.#last = this.#last.then(() => this.#tell(line))
  }

  async #tell(line: LiveLine): Promise<void> {
    if (line.flow === undefined) {
      this.#parts.tell(line)
      return
    }
    // A node that has just stopped can no longer be asked; the line is told all the same.
    const flow = await this.#parts.flow(line.flow).catch(() => undefined)
    this.#parts.tell(flow === undefined ? line : withFlow(line, flow))
  }

  #closeWindow(): void {
    this.#cancel?.()
    this.#cancel = undefined
    this.#told = 0
    const untold = this.#untold
    this.#untold = {}
    if (Object.keys(untold).length > 0)
      this.#last = this.#last.then(() => {
        this.#parts.tellMore(untold)
      })
  }
}
