/**
 * The answer a recorded operation got, given again when the flow is run over its record.
 */
import type { SigningDecision } from '../decision/Decision.js'
import { reviveError, type ErrorDetails } from '../errors/CarillonError.js'
import type { RecordedOperation } from '../log/events.js'
import { valueAnswer, type Answer } from './Answer.js'
import { definitionOf, type Operation } from './Operation.js'

export const reviveAnswer = (decision: SigningDecision, operation: Operation, recorded: RecordedOperation): Answer => {
  if (recorded.error === undefined) return valueAnswer(definitionOf(operation).revive(decision, operation, recorded))
  const { code, message, details } = recorded.error
  return {
    kind: 'error',
    error: reviveError({ code, message, ...(details === undefined ? {} : { details: details as ErrorDetails }) }),
  }
}
