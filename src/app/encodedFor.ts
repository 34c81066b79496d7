/**
 * What a flow or a signal is given, in encoded form. Some codecs throw at a value that is not theirs, such as one that was
 * left out; that is told like any other value that does not fit.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import type { Json } from '../encoding/canonical.js'
import { decodeWith } from '../encoding/decode.js'
import { CarillonError, messageOf } from '../errors/CarillonError.js'

const encoded = <A>(
  codec: t.Type<A, unknown>,
  value: A,
  invalid: (why: string, cause: unknown) => CarillonError,
): Json => {
  try {
    return codec.encode(value) as Json
  } catch (error) {
    const decoded = decodeWith(codec, value)
    throw invalid(isLeft(decoded) ? decoded.left.join('; ') : messageOf(error), error)
  }
}

/** The input for a flow; throws `flow-input-invalid`. */
export const encodedInput = <A>(flow: { readonly name: string; readonly input: t.Type<A, unknown> }, input: A): Json =>
  encoded(flow.input, input, (why, cause) => {
    const message = `The input for flow ${flow.name} does not fit its codec: ${why}`
    return new CarillonError('flow-input-invalid', message, { flow: flow.name }, cause)
  })

/** The data of a signal; throws `signal-data-invalid`. */
export const encodedData = <A>(signal: { readonly name: string; readonly data: t.Type<A, unknown> }, data: A): Json =>
  encoded(signal.data, data, (why, cause) => {
    const message = `The data of signal ${signal.name} does not fit its codec: ${why}`
    return new CarillonError('signal-data-invalid', message, { signal: signal.name }, cause)
  })
