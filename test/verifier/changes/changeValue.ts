/**
 * Changes a JSON value at one place: another value, a member more or less, a digit, the order of a list. Only values that
 * JSON can write come of it, also such as have no canonical text.
 */
import type { Json } from '../../../src/encoding/canonical.js'
import type { Chance } from '../../../src/testing/simulation/Chance.js'
import { keyNamed } from '../WrittenParty.js'
import { exchanged, inserted, without } from './Change.js'

const oddValues: readonly Json[] = [
  ...[null, true, false, 0, 1, -1, 2, 0.5, 2 ** 31, 2 ** 53 - 1, 2 ** 53, 1e21, 1e-7],
  ...[
    '',
    'x',
    'ü',
    '\ud800',
    '\u0000',
    '\u2028',
    'a'.repeat(64),
    '0'.repeat(64),
    'A'.repeat(86) + '==',
    'a'.repeat(201),
  ],
  ...['NodeStarted', 'KeyChanged', 'TransactionRecorded', 'FlowEnded', 'Unknown', 'toString', '__proto__'],
  ...['2026-01-01T00:00:00.000Z', '2026-02-29T00:00:00.000Z', '0000-02-29T23:59:59.999Z', '2026-01-01T24:00:00.000Z'],
  ...[[], {}, [[]], [null], { name: 'x', key: 'y' }],
  keyNamed('odd').publicKey,
  [keyNamed('odd').publicKey],
  { name: 'Odd', key: keyNamed('odd').publicKey },
  { threshold: 1, children: [{ key: keyNamed('odd').publicKey, weight: 1 }] },
  { threshold: 3, children: [{ key: keyNamed('odd').publicKey, weight: 2 }] },
]

/** Composite keys nested so deep. */
const nestedKey = (depth: number): Json =>
  depth === 0 ? keyNamed('odd').publicKey : { threshold: 1, children: [{ key: nestedKey(depth - 1), weight: 1 }] }

const oddValue = (chance: Chance): Json =>
  chance.oneIn(12) ? nestedKey(chance.between(30, 34)) : chance.pick(oddValues)

const memberNames = [
  ...['a', 'z', '', '__proto__', 'constructor', 'é', 'signatures', 'body', 'assessments', 'id', 'type', 'flow'],
  ...[
    'timeWindow',
    'newNotary',
    'tick',
    'salt',
    'process',
    'leaseMs',
    'map',
    'activity',
    'failure',
    'indexed',
    'details',
  ],
]

const isObject = (value: Json): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

const changeText = (chance: Chance, text: string): Json => {
  if (text === '' || chance.oneIn(4)) return oddValue(chance)
  const at = chance.below(text.length)
  const put = chance.pick(['0', '1', '7', '9', 'a', 'c', 'f', 'A', '=', ' ', '\\', '"', ''])
  return text.slice(0, at) + put + text.slice(at + 1)
}

const fromEntries = (entries: readonly (readonly [string, Json])[]): Json =>
  // Members are defined, not assigned: `__proto__` is a member like any other.
  Object.fromEntries(entries)

const changeHere = (chance: Chance, value: Json): Json => {
  if (chance.oneIn(5)) return oddValue(chance)
  if (typeof value === 'string') return changeText(chance, value)
  if (typeof value === 'number') return chance.pick([value + 1, value - 1, -value - 1, value + 0.5, value * 2, 2 ** 31])
  if (isList(value)) {
    const at = chance.below(value.length + 1)
    const entry = value[chance.below(Math.max(1, value.length))] ?? oddValue(chance)
    return chance.pick([
      () => without(value, at),
      () => inserted(value, at, entry),
      () => inserted(value, at, oddValue(chance)),
      () => exchanged(value, 0, Math.max(0, at - 1)),
    ])()
  }
  if (!isObject(value)) return oddValue(chance)
  const entries = Object.entries(value)
  const at = chance.below(Math.max(1, entries.length))
  const name = chance.pick([...memberNames, ...Object.keys(value)])
  return chance.pick([
    () => fromEntries(without(entries, at)),
    () => fromEntries([...entries, [name, oddValue(chance)]]),
    () => fromEntries([...entries, [name, entries[at]?.[1] ?? null]]),
  ])()
}

/** Goes down from a value by chance, and changes what it finds there. */
export const changeValue = (chance: Chance, value: Json, stopOneIn = 4): Json => {
  const stops = chance.oneIn(stopOneIn)
  if (!stops && isList(value) && value.length > 0) {
    const at = chance.below(value.length)
    return value.map((entry, index) => (index === at ? changeValue(chance, entry, stopOneIn) : entry))
  }
  if (!stops && isObject(value) && Object.keys(value).length > 0) {
    const at = chance.pick(Object.keys(value))
    return fromEntries(
      Object.entries(value).map(([key, member]) => [key, key === at ? changeValue(chance, member, stopOneIn) : member]),
    )
  }
  return changeHere(chance, value)
}
