/**
 * Whether an answer tells a flow that a state is consumed: the flow has consumed it, or was told that another has. From
 * then on it acts in knowledge of that, and may have to put things right with a step.
 */
import type { Operation } from '../app/Operation.js'
import type { Answer } from '../flow/Answer.js'
import { consumedRefOf } from '../flow/flowFailure.js'
import { showRef, type StateRef } from '../ledger/StateRef.js'

/** The states that an operation consumes once it is answered. A proposal consumes nothing yet. */
const consumedBy = (operation: Operation, value: unknown): readonly StateRef[] => {
  if (operation.kind === 'record') return operation.transactions.flatMap(({ body }) => body.inputs)
  if (operation.kind === 'waitForConsumption') return value === undefined ? [] : [operation.ref]
  const isFinal = typeof value === 'object' && value !== null && 'output' in value
  return operation.kind === 'finalise' && isFinal ? operation.draft.inputs : []
}

export const tellsConsumed = (operation: Operation, answer: Answer, ref: string): boolean =>
  answer.kind === 'error'
    ? consumedRefOf(answer.error) === ref
    : consumedBy(operation, answer.value).some((input) => showRef(input) === ref)
