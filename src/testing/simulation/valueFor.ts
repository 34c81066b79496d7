/**
 * A value that fits a codec, made up from the codec itself and from what is there: parties of the network, states of the
 * vault, instants around now. So flows can be tried that nobody has written a test for.
 */
import type * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { Party } from '../../identity/Party.js'
import type { StateRef } from '../../ledger/StateRef.js'
import { instantFromMillis, toMillis, type Instant } from '../../time/Instant.js'
import type { Chance } from './Chance.js'

/** What values are made of. */
export type Material = {
  readonly chance: Chance
  readonly now: Instant
  readonly parties: readonly Party[]
  readonly refs: readonly StateRef[]
}

type Tagged = t.Any & {
  readonly _tag?: string
  readonly type: Tagged
  readonly types: readonly Tagged[]
  readonly props: Readonly<Record<string, Tagged>>
  readonly value: unknown
  readonly keys: Readonly<Record<string, unknown>>
  readonly domain: Tagged
  readonly codomain: Tagged
}

/** There is no value to be had: say so, and leave the flow out. */
const none = Symbol('no value')

/** Few words, so that two flows often speak of the same thing. */
const words = ['ada', 'ben', 'cleo', 'dora', 'egg', 'fig']

const triesPerRefinement = 40

const numberNamed = (name: string, chance: Chance): number => {
  if (/(ms|millis|milliseconds)$/i.test(name)) return chance.pick([500, 1_000, 5_000, 60_000])
  if (/(seconds|minutes|hours|days|interval)$/i.test(name)) return chance.between(1, 30)
  if (chance.oneIn(10)) return chance.pick([-1, 0, 100])
  return chance.between(0, 20)
}

const make = (codec: Tagged, name: string, material: Material, depth: number): unknown => {
  const { chance, now, parties, refs } = material
  const inner = (other: Tagged, as = name): unknown => make(other, as, material, depth + 1)
  if (depth > 12) return none
  switch (codec.name) {
    case 'Party':
      return parties.length === 0 ? none : chance.pick(parties)
    case 'PublicKey':
    case 'Key':
      return parties.length === 0 ? none : chance.pick(parties).key
    case 'StateRef':
      return refs.length === 0 ? none : chance.pick(refs)
    case 'Instant':
      return instantFromMillis(toMillis(now) + chance.pick([-60_000, 0, 1_000, 10_000, 60_000, 3_600_000, 86_400_000]))
    case 'Integer':
      return numberNamed(name, chance)
    case 'Json':
      return chance.pick(words)
    default:
  }
  switch (codec._tag) {
    case 'StringType':
      return chance.pick(words)
    case 'NumberType':
      return numberNamed(name, chance)
    case 'BooleanType':
      return chance.oneIn(2)
    case 'NullType':
      return null
    case 'UndefinedType':
    case 'VoidType':
      return undefined
    case 'UnknownType':
    case 'AnyType':
      return chance.pick(words)
    case 'LiteralType':
      return codec.value
    case 'KeyofType':
      return chance.pick(Object.keys(codec.keys))
    case 'ReadonlyType':
    case 'ExactType':
      return inner(codec.type)
    case 'InterfaceType':
    case 'PartialType': {
      const made: Record<string, unknown> = {}
      for (const [key, member] of Object.entries(codec.props)) {
        if (codec._tag === 'PartialType' && chance.oneIn(2)) continue
        const value = inner(member, key)
        if (value === none) {
          if (codec._tag === 'PartialType') continue
          return none
        }
        made[key] = value
      }
      return made
    }
    case 'IntersectionType': {
      const parts = codec.types.map((part) => inner(part))
      return parts.includes(none) ? none : (Object.assign({}, ...parts) as unknown)
    }
    case 'UnionType': {
      for (const part of chance.some(codec.types, codec.types.length)) {
        const value = inner(part)
        if (value !== none) return value
      }
      return none
    }
    case 'ArrayType':
    case 'ReadonlyArrayType': {
      const items = Array.from({ length: chance.between(1, 2) }, () => inner(codec.type))
      return items.filter((item) => item !== none)
    }
    case 'TupleType': {
      const items = codec.types.map((item) => inner(item))
      return items.includes(none) ? none : items
    }
    case 'DictionaryType': {
      const value = inner(codec.codomain)
      return value === none ? {} : { [chance.pick(words)]: value }
    }
    case 'RecursiveType':
      return inner(codec.type)
    case 'RefinementType':
      for (let tries = 0; tries < triesPerRefinement; tries++) {
        const value = inner(codec.type)
        if (value === none) return none
        if (codec.is(value)) return value
      }
      return none
    default:
      // A codec somebody wrote by hand: perhaps one of these is what it takes.
      for (const guess of chance.some<unknown>([{}, 1, chance.pick(words), true, null, now, parties[0], '1.5'], 8)) {
        if (codec.is(guess)) return guess
        const decoded = codec.decode(guess)
        if (!isLeft(decoded)) return decoded.right
      }
      return none
  }
}

/** A value that fits a codec; undefined when none could be made up. */
export const valueFor = <A>(codec: t.Type<A, unknown>, material: Material): { readonly value: A } | undefined => {
  const value = make(codec as unknown as Tagged, '', material, 0)
  return value !== none && codec.is(value) ? { value } : undefined
}
