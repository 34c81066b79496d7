/**
 * Asks the node for one operation. An error that the node answers with is thrown where the flow asked, and its stack says
 * where that is.
 */
import type { FlowBody } from './FlowDefinition.js'
import type { Operation } from './Operation.js'

export const ask = function* (operation: Operation): FlowBody<unknown> {
  try {
    return yield operation
  } catch (error) {
    // The node made the error elsewhere. Here the functions of the flow are on the stack, each at its yield*.
    if (error instanceof Error) Error.captureStackTrace(error, ask)
    throw error
  }
}
