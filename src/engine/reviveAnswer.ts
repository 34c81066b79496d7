/**
 * The answer a recorded operation got, given again when the flow is run over its record.
 */
import type { ActiveTick } from './ActiveTick.js'
import { reviveError, type ErrorDetails, type RecordedError } from '../errors/CarillonError.js'
import type { RecordedOperation } from '../log/events.js'
import { valueAnswer, type Answer } from '../flow/Answer.js'
import { definitionOf, type Operation } from '../app/Operation.js'

/** The error that a recorded operation was answered with. */
export const recordedError = ({ details, ...error }: NonNullable<RecordedOperation['error']>): RecordedError => ({
  ...error,
  ...(details === undefined ? {} : { details: details as ErrorDetails }),
})

export const reviveAnswer = (tick: ActiveTick, operation: Operation, recorded: RecordedOperation): Answer =>
  recorded.error === undefined
    ? valueAnswer(definitionOf(operation).revive(tick, operation, recorded))
    : { kind: 'error', error: reviveError(recordedError(recorded.error)) }
