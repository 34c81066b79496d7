/**
 * A value as JSON has it: what is undefined is left out.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import { canonicalText, JsonC, type Json } from 'carillon'

export const plain = (value: unknown): Json => {
  const decoded = JsonC.decode(JSON.parse(canonicalText(value)))
  if (isLeft(decoded)) throw new Error('The value has no JSON form.')
  return decoded.right
}
