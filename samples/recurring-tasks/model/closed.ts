/**
 * A codec that refuses fields it does not know. A misspelt option that is passed over in silence is a request that does
 * something else than was meant.
 */
import * as t from 'io-ts'
import { isRight } from 'fp-ts/lib/Either.js'

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Where `given` has a field that `known` has not; undefined when there is none. */
const unknownField = (given: unknown, known: unknown, path = ''): string | undefined => {
  if (!isObject(given) || !isObject(known)) return undefined
  const has = new Map<string, unknown>(Object.entries(known))
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    if (!has.has(name)) return `${path}${name}`
    const within = unknownField(value, has.get(name), `${path}${name}.`)
    if (within !== undefined) return within
  }
  return undefined
}

export const closed = <A>(codec: t.Type<A, unknown>): t.Type<A, unknown> =>
  new t.Type<A, unknown>(
    codec.name,
    (value): value is A => codec.is(value),
    (given, context) => {
      const decoded = codec.validate(given, context)
      const field = isRight(decoded) ? unknownField(given, codec.encode(decoded.right)) : undefined
      return field === undefined ? decoded : t.failure(given, context, `there is no field ${field}`)
    },
    (value) => codec.encode(value),
  )
