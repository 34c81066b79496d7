/**
 * Asks the node for one operation. An error that the node answers with is thrown where the flow asked, and its stack says
 * where that is.
 */
import type { FlowBody } from './FlowDefinition.js'
import type { Operation } from './Operation.js'

/** Errors that the node has made and that have not been thrown into a flow yet. */
const madeByNode = new WeakSet<Error>()

/** Marks an error that the node answers with. What a part of a flow has thrown itself keeps the stack it has. */
export const asAnswer = <E extends Error>(error: E): E => {
  madeByNode.add(error)
  return error
}

export const ask = function* (operation: Operation): FlowBody<unknown> {
  try {
    return yield operation
  } catch (error) {
    // The node made the error elsewhere. Here the functions of the flow are on the stack, each at its yield*.
    if (error instanceof Error && madeByNode.delete(error)) Error.captureStackTrace(error, ask)
    throw error
  }
}
