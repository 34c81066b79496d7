/**
 * Performs one operation of a flow by the definition of its kind. An error belongs to the flow, unless it concerns the node.
 */
import type { SigningDecision } from '../decision/Decision.js'
import { CarillonError, concernsNode, messageOf } from '../errors/CarillonError.js'
import type { Answer, Wait } from './Answer.js'
import type { FlowId } from '../log/FlowId.js'
import type { AnyOperationDefinition, Operation } from './Operation.js'

export const performOperation = (
  decision: SigningDecision,
  definition: AnyOperationDefinition,
  flow: FlowId,
  operation: Operation,
): Answer | Wait => {
  try {
    return definition.perform(decision, operation, flow)
  } catch (error) {
    if (concernsNode(error)) throw error
    return {
      kind: 'error',
      error: error instanceof CarillonError ? error : new CarillonError('flow-threw', messageOf(error), {}, error),
    }
  }
}
