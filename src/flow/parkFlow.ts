/**
 * For a flow that cannot go on and should not fail: parked, it keeps its record and needs an operator.
 */
import { CarillonError } from '../errors/CarillonError.js'

/** An error to throw in a flow. When someone retries the flow, it goes on from its last recorded operation. */
export const parkFlow = (reason: string): CarillonError => new CarillonError('flow-parked', reason)
