/**
 * The message of anything that was thrown, as a sentence that others can follow.
 */
import { messageOf } from './CarillonError.js'

/** The message, with a full stop where it has none. */
export const sentenceOf = (thrown: unknown): string => {
  const message = messageOf(thrown)
  return /[.!?…]$/.test(message) ? message : `${message}.`
}
