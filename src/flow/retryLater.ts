/**
 * For a flow that has met something that may pass: it is tried again from where it last stood, with back-off.
 */
import { CarillonError } from '../errors/CarillonError.js'

/** An error to throw in a flow. What it has read since it last did something is read again when it is next tried. */
export const retryLater = (reason: string): CarillonError => new CarillonError('flow-retry-later', reason)
