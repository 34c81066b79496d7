/**
 * Decoding at a boundary: io-ts reports, in words a person can act on.
 */
import { isLeft, type Either, left, right } from 'fp-ts/lib/Either.js'
import { messageOf } from '../errors/CarillonError.js'
import { Type, type Context, type Decoder, type Errors } from 'io-ts'
import { plainForm } from './plainForm.js'

const show = (value: unknown): string => {
  try {
    const text = JSON.stringify(value) as string | undefined
    if (text === undefined) return typeof value
    return text.length > 80 ? `${text.slice(0, 80)}…` : text
  } catch {
    return typeof value
  }
}

const placeOf = (context: Context): string =>
  context
    .map(({ key }) => key)
    .filter((key) => key !== '')
    .join('.')

/** One sentence per mismatch, duplicates (from unions) removed. */
export const explain = (errors: Errors): readonly string[] => [
  ...new Set(
    errors.map(({ context, message, value }) => {
      const expected = context.at(-1)?.type.name ?? 'another value'
      const place = placeOf(context)
      return message ?? `${place === '' ? 'the value' : place} is ${show(value)}, expected ${expected}`
    }),
  ),
]

/** Decodes, or gives the sentences that say what does not fit. */
export const decodeWith = <A>(codec: Decoder<unknown, A>, value: unknown): Either<readonly string[], A> => {
  try {
    // What the codec would leave as it is need not go through it.
    if (codec instanceof Type && plainForm(codec)?.check(value) === true) return right(value as A)
    const decoded = codec.decode(value)
    return isLeft(decoded) ? left(explain(decoded.left)) : right(decoded.right)
  } catch (error) {
    // A codec is an app's code, and may throw where it should refuse.
    return left([`the codec ${codec.name} threw: ${messageOf(error)}`])
  }
}
