/**
 * A refusal: an outcome of a flow that is neither what was asked for nor a failure. A flow returns it, so that nothing which
 * catches errors can catch it; what the flow has done before stays done, as with any return.
 */
import type * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import { decodeWith } from '../encoding/decode.js'
import type { Json } from '../encoding/canonical.js'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import type { FlowId } from '../log/FlowId.js'
import { clipLabel } from './clipLabel.js'
import { recordable } from './recordable.js'

/** What a flow refuses with. Make one with {@link refuseWith}. */
export class Refusal<F> {
  readonly refusal: F

  constructor(refusal: F) {
    this.refusal = refusal
  }
}

/** A refusal of a flow that can refuse; nothing for one that declares no refusals. */
export type RefusalOf<F> = [F] extends [never] ? never : Refusal<F>

/** Anything, in a form that keeps the types of texts and numbers as they are written: `'too late'` stays `'too late'`. */
export type AsWritten<S extends string, N extends number> =
  | S
  | N
  | boolean
  | null
  | undefined
  | object
  | { readonly [name: string]: AsWritten<S, N> }
  | readonly AsWritten<S, N>[]

/**
 * Refuses: `return refuseWith({ reason: 'no funds' })` in a flow whose definition has `refusals`. It has no effect unless the
 * flow returns it.
 */
export const refuseWith = <F extends AsWritten<S, N>, S extends string, N extends number>(refusal: F): Refusal<F> =>
  new Refusal(refusal)

/** Thrown to whoever asks for the result of a flow that has refused. */
export class FlowRefused extends CarillonError {
  /** What it refused with, as JSON. */
  readonly refusal: Json

  constructor(flow: FlowId, refusal: Json) {
    super('flow-refused', `Flow ${flow} refused: ${clipLabel(JSON.stringify(refusal))}`, { flow })
    this.refusal = refusal
  }
}

/** The codec of the refusals of a flow, as its definition keeps it: any definition fits where refusals are of no interest. */
export type RefusalCodec<F> = t.Decoder<unknown, F> & { readonly encode: (refusal: never) => unknown }

const refusalInvalid = (why: string, cause?: unknown): CarillonError =>
  new CarillonError('flow-result-invalid', why, {}, cause)

const encoded = (codec: RefusalCodec<unknown>, refusal: unknown): unknown => {
  try {
    return codec.encode(refusal as never)
  } catch (error) {
    throw refusalInvalid(`The refusal cannot be encoded by ${codec.name}: ${messageOf(error)}`, error)
  }
}

/** A recorded refusal as the flow gave it. */
export const readRefusal = <F>(refusals: RefusalCodec<F> | undefined, recorded: unknown): F => {
  if (refusals === undefined) throw refusalInvalid('The definition of the flow has no codec refusals.')
  const decoded = decodeWith(refusals, recorded)
  if (isLeft(decoded))
    throw refusalInvalid(`The refusal does not fit the codec ${refusals.name}: ${decoded.left.join('; ')}.`)
  return decoded.right
}

/** What a flow returned, as its end will record it; throws when it cannot be recorded. */
export const recordReturned = (
  returned: unknown,
  refusals: RefusalCodec<unknown> | undefined,
  longest: number,
): { readonly result?: Json } | { readonly refusal: Json } => {
  if (!(returned instanceof Refusal)) return returned === undefined ? {} : { result: recordable(returned, longest) }
  if (refusals === undefined)
    throw refusalInvalid('It is a refusal, and the definition of the flow has no codec refusals.')
  const refusal = recordable(encoded(refusals, returned.refusal), longest)
  readRefusal(refusals, refusal)
  return { refusal }
}
