/**
 * Reads the recorded result of an operation with a codec.
 */
import type * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import { CarillonError } from '../errors/CarillonError.js'
import type { RecordedOperation } from '../log/events.js'

/** Throws `flow-diverged` when the result is not what the operation gives. */
export const decodeResult = <A>(codec: t.Type<A, unknown>, { kind, label, result }: RecordedOperation): A => {
  const decoded = codec.decode(result)
  if (isLeft(decoded))
    throw new CarillonError('flow-diverged', `The recorded result of ${label ?? kind} cannot be read.`)
  return decoded.right
}
