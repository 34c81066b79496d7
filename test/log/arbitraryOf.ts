/**
 * Values that fit a codec, made by fast-check from the codec itself, so that a codec added later is covered as well.
 */
import * as fc from 'fast-check'
import type * as t from 'io-ts'
import { latestInstantMs } from '../../src/time/Instant.js'

const hex = (length: number): fc.Arbitrary<string> =>
  fc
    .array(
      fc.integer({ min: 0, max: 15 }).map((digit) => digit.toString(16)),
      { minLength: length, maxLength: length },
    )
    .map((digits) => digits.join(''))

export const hashes = hex(64)
/** None of them begins like a point of small order, or like one beyond the field. */
export const publicKeys = hex(63).map((digits) => `ed25519:a${digits}`)
export const integers = fc.maxSafeInteger().filter((value) => !Object.is(value, -0))
export const instants = fc
  .integer({ min: Date.parse('0000-01-01T00:00:00.000Z'), max: latestInstantMs })
  .map((ms) => new Date(ms).toISOString())

/** Text without half surrogate pairs, which no encoding can hold. */
export const texts = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }))

const numbers = fc.oneof(
  integers,
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .filter((value) => !Object.is(value, -0) && (!Number.isInteger(value) || Number.isSafeInteger(value))),
)

/** Everything that has a canonical form. */
export const jsonValues: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    numbers,
    texts,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(texts, tie('value'), { maxKeys: 4 }),
  ),
})).value

/** Single keys, and trees of them that can be satisfied and must be worked for. */
export const keys: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  key: fc.oneof({ depthSize: 'small', withCrossShrink: true }, publicKeys, tie('composite')),
  composite: fc
    .uniqueArray(fc.record({ key: tie('key'), weight: fc.integer({ min: 1, max: 5 }) }), {
      minLength: 1,
      maxLength: 3,
      selector: ({ key }) => JSON.stringify(key),
    })
    .chain((children) =>
      fc
        .integer({ min: 1, max: children.reduce((sum, { weight }) => sum + weight, 0) })
        .map((threshold) => ({ threshold, children })),
    ),
})).key

type Tagged = t.Any & {
  readonly _tag?: string
  readonly type: Tagged
  readonly types: readonly Tagged[]
  readonly props: Readonly<Record<string, Tagged>>
  readonly value: unknown
  readonly keys: Readonly<Record<string, unknown>>
}

const byName: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  Hash: hashes,
  PublicKey: publicKeys,
  Instant: instants,
  Integer: integers,
  Json: jsonValues,
  Key: keys,
  SessionId: hex(32),
  IndexedValues: fc.dictionary(
    texts,
    fc.oneof(
      fc.boolean(),
      numbers,
      texts.filter((text) => text.length <= 200),
    ),
    { maxKeys: 3 },
  ),
}

const recordOf = (props: Tagged['props'], requiredKeys: string[] | undefined): fc.Arbitrary<unknown> => {
  const model = Object.fromEntries(Object.entries(props).map(([key, codec]) => [key, arbitraryOf(codec)]))
  return requiredKeys === undefined ? fc.record(model) : fc.record(model, { requiredKeys })
}

export const arbitraryOf = (codec: t.Any): fc.Arbitrary<unknown> => {
  const tagged = codec as Tagged
  const named = byName[codec.name]
  if (named !== undefined) return named
  switch (tagged._tag) {
    case 'ReadonlyType':
    case 'ExactType':
      return arbitraryOf(tagged.type)
    case 'InterfaceType':
      return recordOf(tagged.props, undefined)
    case 'PartialType':
      return recordOf(tagged.props, [])
    case 'RefinementType':
      return arbitraryOf(tagged.type).filter((value) => codec.is(value))
    case 'IntersectionType':
      return fc.tuple(...tagged.types.map(arbitraryOf)).map((parts) => Object.assign({}, ...parts) as unknown)
    case 'UnionType':
      return fc.oneof(...tagged.types.map(arbitraryOf))
    case 'ArrayType':
    case 'ReadonlyArrayType':
      return fc.array(arbitraryOf(tagged.type), { maxLength: 3 })
    case 'LiteralType':
      return fc.constant(tagged.value)
    case 'KeyofType':
      return fc.constantFrom(...Object.keys(tagged.keys))
    case 'StringType':
      return texts
    case 'BooleanType':
      return fc.boolean()
    case 'NullType':
      return fc.constant(null)
    case 'NumberType':
      return fc
        .double({ noNaN: true, noDefaultInfinity: true })
        .filter((value) => !Object.is(value, -0) && Number.isInteger(value) <= Number.isSafeInteger(value))
    case 'UnknownType':
      return jsonValues
    case 'AnyDictionaryType':
      return fc.dictionary(texts, jsonValues, { maxKeys: 3 })
    default:
      throw new Error(`No values are known for the codec ${codec.name}; teach arbitraryOf about it.`)
  }
}
