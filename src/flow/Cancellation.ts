/**
 * Thrown into a flow, or a part of one, that is to end early: where it waits, so that `catch` and `finally` can undo what
 * was done. Only the engine makes it; an error of the same code that comes from elsewhere cancels nothing.
 */
import { CarillonError } from '../errors/CarillonError.js'

export class Cancellation extends CarillonError {
  constructor(message: string, details: CarillonError['details'] = {}, cause?: unknown) {
    super('flow-cancelled', message, details, cause)
  }
}
