/**
 * An answered operation as the flow's record keeps it, and about how many bytes it will take there.
 */
import { canonicalText, utf8Length } from '../encoding/canonical.js'
import { recordRefusal } from '../errors/CarillonError.js'
import type { RecordedOperation } from '../log/events.js'
import type { Answer } from '../flow/Answer.js'
import { describeOperation } from '../app/describeOperation.js'
import type { Unrecorded } from './LiveFlow.js'
import type { AnyOperationDefinition, Operation } from '../app/Operation.js'

/** What the record says of an operation: what was asked, and what came of it. */
export const recordedOf = ({ operation, answer, part }: Unrecorded): RecordedOperation => {
  const description = describeOperation(operation, part)
  if (answer.kind === 'error') return { ...description, error: recordRefusal(answer.error, 'flow-threw') }
  return answer.recorded === undefined ? description : { ...description, result: answer.recorded }
}

/** An operation with its answer, and the part that asked. */
export const unrecordedOf = (operation: Operation, answer: Answer, part: string | undefined): Unrecorded =>
  part === undefined ? { operation, answer } : { operation, answer, part }

/** About how many bytes a wait of a part takes in the record. */
export const bytesOfWait = 250

/** A kind, a digest and a label in plain letters. */
const plainBytes = 300

/** About how many bytes an answered operation will take in the record; never much too few. */
export const weightOf = (definition: AnyOperationDefinition, operation: Operation, answer: Answer): number =>
  plainBytes +
  (answer.kind === 'error'
    ? utf8Length(canonicalText(recordRefusal(answer.error, 'flow-threw')))
    : definition.recordedBytes(operation, answer.recorded))
