/**
 * Before a flow is retried: what it only read, and what it was refused, is not recorded, so that it asks again.
 */
import type { Unrecorded } from './LiveFlow.js'
import { definitionOf } from '../app/Operation.js'
import { isHoldRefusal } from '../flow/heldState.js'

/** Removes reads and refused operations from the end of what is to be recorded. */
export const dropTrailingReads = (unrecorded: Unrecorded[]): void => {
  for (let last = unrecorded.at(-1); last !== undefined; last = unrecorded.at(-1)) {
    const { operation, answer } = last
    // A step that has begun has happened, and its failure is an answer like any other.
    const isRefused =
      answer.kind === 'error' &&
      ((operation.kind !== 'step' && operation.kind !== 'cancelled') || isHoldRefusal(answer.error))
    if (!isRefused && !definitionOf(operation).isRead) return
    unrecorded.pop()
  }
}
