/**
 * Decoding at a boundary: io-ts reports, in words a person can act on.
 */
import { isLeft, type Either, left, right } from 'fp-ts/lib/Either.js'
import { messageOf } from '../errors/CarillonError.js'
import { Type, type Context, type Decoder, type Errors } from 'io-ts'
import { expectedBy } from './expecting.js'
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

type Wrapped = { readonly name?: string; readonly _tag?: string; readonly type?: Wrapped }

/** Whether a codec puts others together without a place of their own in the value: their numbers mean nothing to its writer. */
const isTogether = ({ _tag: tag = '', type }: Wrapped): boolean =>
  tag === 'IntersectionType' ||
  tag === 'UnionType' ||
  (/^(Readonly|Exact|Refinement)Type$/.test(tag) && type !== undefined && isTogether(type))

const placeOf = (context: Context): string =>
  context
    .filter((_, index) => index === 0 || !isTogether(context[index - 1]?.type ?? {}))
    .map(({ key }) => key)
    .filter((key) => key !== '')
    .join('.')

/** One sentence per mismatch, duplicates (from unions) removed. */
export const explain = (errors: Errors): readonly string[] => [
  ...new Set(
    errors.map(({ context, message, value }) => {
      const last = context.at(-1)?.type
      const expected = last === undefined ? 'another value' : expectedBy(last)
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
