/**
 * Performs one operation of a flow by the definition of its kind: what is decided is recorded before the next thing is
 * decided. An error belongs to the flow, unless it concerns the node.
 */
import type { ActiveTick } from './ActiveTick.js'
import { CarillonError, concernsNode, messageOf } from '../errors/CarillonError.js'
import type { Answer, Continuation, Wait } from '../flow/Answer.js'
import type { FlowRow } from '../flow/FlowRow.js'
import { takeState } from '../flow/heldState.js'
import type { AnyOperationDefinition, Operation } from '../app/Operation.js'

/** `holdsState`: the flow holds the state of its activity while a step is under way. */
export const performOperation = (
  tick: ActiveTick,
  definition: AnyOperationDefinition,
  row: Pick<FlowRow, 'id' | 'stateSeq'>,
  operation: Operation,
  holdsState: boolean,
): Answer | Continuation | Wait => {
  try {
    if (holdsState && operation.kind === 'step') for (const event of takeState(tick, row)) tick.emit(event)
    let decided = definition.decide(tick, operation, row.id)
    while (decided.kind === 'facts') {
      for (const event of decided.events) tick.emit(event)
      decided = decided.next()
    }
    return decided
  } catch (error) {
    if (concernsNode(error)) throw error
    return {
      kind: 'error',
      error: error instanceof CarillonError ? error : new CarillonError('flow-threw', messageOf(error), {}, error),
    }
  }
}
