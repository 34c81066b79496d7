/**
 * A value of the app in the form in which it is sent, checked with the app's own codec before it leaves.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import type { Json } from '../encoding/canonical.js'
import { decodeWith } from '../encoding/decode.js'
import { CarillonError, messageOf } from '../errors/CarillonError.js'

/** Throws an error of this code for a value that the codec does not take. */
export const encodeAs = <A>(
  code: 'flow-input-invalid' | 'request-invalid',
  codec: t.Type<A, unknown>,
  name: string,
  value: A,
): Json => {
  const invalid = (why: string): CarillonError =>
    new CarillonError(code, `What ${name} is given does not fit: ${why}.`, { name })
  let encoded: unknown
  try {
    encoded = codec.encode(value)
  } catch (error) {
    throw invalid(messageOf(error))
  }
  const decoded = decodeWith(codec, encoded)
  if (isLeft(decoded)) throw invalid(decoded.left.slice(0, 5).join('; '))
  return encoded as Json
}
