/**
 * The answer a recorded operation got, given again when the flow is run over its record.
 */
import type { ActiveTick } from './ActiveTick.js'
import { reviveError, type ErrorDetails } from '../errors/CarillonError.js'
import type { RecordedOperation } from '../log/events.js'
import { valueAnswer, type Answer } from '../flow/Answer.js'
import { definitionOf, type Operation } from '../app/Operation.js'

export const reviveAnswer = (tick: ActiveTick, operation: Operation, recorded: RecordedOperation): Answer => {
  if (recorded.error === undefined) return valueAnswer(definitionOf(operation).revive(tick, operation, recorded))
  const { details, ...error } = recorded.error
  return {
    kind: 'error',
    error: reviveError({ ...error, ...(details === undefined ? {} : { details: details as ErrorDetails }) }),
  }
}
