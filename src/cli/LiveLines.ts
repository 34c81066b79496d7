/**
 * What `carillon run` tells while it runs: a line for each flow that ends and each activity that does not go its
 * way. So many a second and no more; the rest is counted and told in one line.
 */
import type { FlowId } from '../log/FlowId.js'
import { showOrigin, type FlowSummary } from '../flow/FlowSummary.js'
import { cliLimits } from './limits.js'
import type { Committed } from '../engine/Committed.js'
import { outcomeIn, type Outcome, type OutcomeKind } from '../telemetry/Outcome.js'
import { instantFromMillis, type Instant } from '../time/Instant.js'

export type LiveLine = Outcome & {
  readonly at: Instant
  /** Of the flow. */
  readonly name?: string
  readonly result?: unknown
  readonly refusal?: unknown
}

/** What did not get a line of its own. */
export type Untold = Readonly<Partial<Record<OutcomeKind, number>>>

export type LiveLinesParts = {
  readonly tell: (line: LiveLine) => void
  readonly tellMore: (untold: Untold) => void
  readonly flow: (id: FlowId) => Promise<FlowSummary | undefined>
  /** Calls back once after so many milliseconds; the returned function cancels it. */
  readonly later: (ms: number, callback: () => void) => () => void
}

const windowMs = 1_000

const withFlow = (line: LiveLine, flow: FlowSummary): LiveLine => {
  const { startedBy, name, result, refusal, error } = flow
  const origin =
    startedBy.kind !== 'activity'
      ? { by: line.by ?? showOrigin(flow) }
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
    ...(refusal === undefined ? {} : { refusal }),
    ...(error === undefined ? {} : { error }),
  }
}

export class LiveLines {
  readonly #parts: LiveLinesParts
  #told = 0
  #untold: Partial<Record<OutcomeKind, number>> = {}
  #cancel: (() => void) | undefined
  /** Lines are told in the order of the log, though what belongs to a flow is looked up meanwhile. */
  #last: Promise<void> = Promise.resolve()

  constructor(parts: LiveLinesParts) {
    this.#parts = parts
  }

  readonly hear = ({ events, atMs }: Pick<Committed, 'events' | 'atMs'>): void => {
    const at = instantFromMillis(atMs)
    for (const event of events) {
      const outcome = outcomeIn(event)
      if (outcome !== undefined) this.#take({ at, ...outcome })
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
