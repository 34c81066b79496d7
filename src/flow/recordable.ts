/**
 * What a flow or a step returns, as the log will hold it: plain data with a canonical form, no larger than it may be.
 */
import { canonicalText, utf8Length, type Json } from '../encoding/canonical.js'
import { CarillonError } from '../errors/CarillonError.js'

/** A value as the log will hold it; throws when it has no canonical form or is larger than it may be. */
export const recordable = (value: unknown, longest: number): Json => {
  // Most flows return next to nothing.
  if (value === null || typeof value === 'boolean' || Number.isSafeInteger(value)) {
    canonicalText(value)
    return value as Json
  }
  const text = canonicalText(value)
  const bytes = utf8Length(text)
  if (bytes > longest)
    throw new CarillonError('fact-too-large', `it takes ${bytes} bytes; at most ${longest} bytes can be recorded.`)
  return JSON.parse(text) as Json
}
