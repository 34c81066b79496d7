/**
 * What became of a flow, for those who wait for it.
 */
import type { Json } from '../encoding/canonical.js'
import { reviveError, type RecordedError } from '../errors/CarillonError.js'
import type { FlowId } from '../log/FlowId.js'
import type { FlowStatus } from './FlowRow.js'
import { FlowRefused } from './Refusal.js'

/** How a flow stands, with its result and its error as the views hold them. */
export type FlowEnd = {
  readonly status: FlowStatus
  /** What it returned; what it refused with, if it has refused. */
  readonly result: string | null
  readonly error: string | null
  /** The flow that it has continued as, where it was asked for. */
  readonly next?: FlowId
}

/** What a flow gave that did not fail: its result, or what it refused with. */
export type RunOutcome<R, F> =
  { readonly kind: 'returned'; readonly result: R } | { readonly kind: 'refused'; readonly refusal: F }

/** What an ended flow gave; undefined while it has not ended, or has continued as another. Throws the error it ended with. */
export const outcomeOfEnd = (id: FlowId, end: FlowEnd): RunOutcome<unknown, Json> | undefined => {
  switch (end.status) {
    case 'completed':
      return { kind: 'returned', result: end.result === null ? undefined : (JSON.parse(end.result) as unknown) }
    case 'refused':
      return { kind: 'refused', refusal: JSON.parse(end.result ?? 'null') as Json }
    case 'failed':
    case 'killed':
    case 'superseded':
      throw reviveError(
        end.error === null
          ? { code: 'flow-threw', message: `Flow ${id} ended: ${end.status}.` }
          : (JSON.parse(end.error) as RecordedError),
      )
    default:
      return undefined
  }
}

/** What a flow returned; throws `flow-refused` when it has refused. */
export const resultOfOutcome = (id: FlowId, outcome: RunOutcome<unknown, Json>): unknown => {
  if (outcome.kind === 'refused') throw new FlowRefused(id, outcome.refusal)
  return outcome.result
}
