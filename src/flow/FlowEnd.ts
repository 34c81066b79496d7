/**
 * What became of a flow, for those who wait for it.
 */
import { reviveError, type RecordedError } from '../errors/CarillonError.js'
import type { FlowId } from '../log/FlowId.js'
import type { FlowStatus } from './FlowRow.js'

/** How a flow stands, with its result and its error as the views hold them. */
export type FlowEnd = {
  readonly status: FlowStatus
  readonly result: string | null
  readonly error: string | null
  /** The flow that it has continued as, where it was asked for. */
  readonly next?: FlowId
}

/** What an ended flow returned; undefined while it has not ended, or has continued as another. Throws the error it ended with. */
export const resultOfEnd = (id: FlowId, end: FlowEnd): { readonly result: unknown } | undefined => {
  switch (end.status) {
    case 'completed':
      return { result: end.result === null ? undefined : (JSON.parse(end.result) as unknown) }
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
