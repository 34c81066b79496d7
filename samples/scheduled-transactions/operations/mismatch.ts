/**
 * What does not fit into a codec, in a sentence: which field, what is there, and what belongs there.
 */
import type { Errors } from 'io-ts'

const show = (value: unknown): string => (value === undefined ? 'missing' : JSON.stringify(value).slice(0, 80))

/** The first mismatch; the places of an intersection are no fields. */
export const mismatchIn = (errors: Errors): string => {
  const [first] = errors
  if (first === undefined) return 'something does not fit'
  const isField = (key: string, before: { readonly type: { readonly name: string } } | undefined): boolean =>
    key !== '' && before?.type.name.includes(' & ') !== true
  const place = first.context.filter(({ key }, index) => isField(key, first.context[index - 1])).map(({ key }) => key)
  const expected = first.context.at(-1)?.type.name ?? 'another value'
  return `${place.length === 0 ? 'it' : place.join('.')} is ${show(first.value)}, expected ${expected}`
}
