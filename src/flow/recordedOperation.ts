/**
 * An answered operation as the flow's record keeps it, and about how much room it will take there.
 */
import { canonicalText, utf8Length } from '../encoding/canonical.js'
import { recordError } from '../errors/CarillonError.js'
import type { RecordedOperation } from '../log/events.js'
import type { Answer } from './Answer.js'
import { clipLabel, describeOperation } from './describeOperation.js'
import type { Unrecorded } from './LiveFlow.js'
import type { Operation } from './Operation.js'

/** What the record says of an operation: what was asked, and what came of it. */
export const recordedOf = ({ operation, answer }: Unrecorded): RecordedOperation => {
  const description = describeOperation(operation)
  if (answer.kind === 'error') return { ...description, error: recordError(answer.error, 'flow-threw') }
  return answer.recorded === undefined ? description : { ...description, result: answer.recorded }
}

/** A label and a digest, in plain letters; labels in others are counted on top. */
const plainWeight = 300

/** About how many bytes an answered operation will take in the record; never much too few. */
export const weightOf = (operation: Operation, answer: Answer): number => {
  if (answer.kind === 'error') return plainWeight + utf8Length(canonicalText(recordError(answer.error, 'flow-threw')))
  if (operation.kind === 'progress') return plainWeight + 2 * utf8Length(canonicalText(clipLabel(operation.label)))
  if (operation.kind === 'step')
    return plainWeight + (answer.recorded === undefined ? 0 : utf8Length(canonicalText(answer.recorded)))
  if (
    answer.recorded !== undefined &&
    typeof answer.recorded === 'object' &&
    answer.recorded !== null &&
    'proposal' in answer.recorded
  )
    return plainWeight + utf8Length(canonicalText(answer.recorded))
  const { recorded } = answer
  const refs = typeof recorded === 'object' && recorded !== null && 'refs' in recorded ? recorded['refs'] : recorded
  return plainWeight + (Array.isArray(refs) ? refs.length * 70 : 0)
}
