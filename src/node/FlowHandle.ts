/**
 * A started flow in the hands of whoever started it.
 */
import type { FlowId } from '../log/FlowId.js'
import type { RunOutcome } from '../flow/FlowEnd.js'
import type { FlowDetails } from '../flow/FlowSummary.js'

/** A started flow: its id, and what it will return. */
export type FlowHandle<R, F = never> = {
  readonly id: FlowId
  /** What the flow returns, once that is durable; rejects with its typed error when it fails or is killed, or refuses. */
  readonly result: () => Promise<R>
  /** As `result`, with a refusal as a value. */
  readonly outcome: () => Promise<RunOutcome<R, F>>
  /** Where the flow is, now and whenever that changes, until it has ended: its progress, what it waits for, its status. */
  readonly progress: () => AsyncIterable<FlowDetails>
}
