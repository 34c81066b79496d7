/**
 * Who must sign: one key, or a tree of them. A composite key is satisfied when the weights of its satisfied
 * children reach its threshold; all-of, m-of-n and nesting to any depth are all this one rule.
 */
import * as t from 'io-ts'
import { IntegerC } from '../encoding/IntegerC.js'
import { declarePlain } from '../encoding/plainForm.js'
import { CarillonError } from '../errors/CarillonError.js'
import { identityLimits } from './limits.js'
import { PublicKeyC, type PublicKey } from './PublicKey.js'

/** A tree of keys, satisfied when the weights of those that have signed reach the threshold. */
export type CompositeKey = {
  readonly threshold: number
  readonly children: readonly { readonly key: Key; readonly weight: number }[]
}

/** Who must sign: one key, or a tree of them. */
export type Key = PublicKey | CompositeKey

const totalWeight = (key: CompositeKey): number => key.children.reduce((sum, { weight }) => sum + weight, 0)

/** The single keys in a tree, as often as they stand in it. */
const leavesOf = (key: Key): readonly PublicKey[] =>
  typeof key === 'string' ? [key] : key.children.flatMap((child) => leavesOf(child.key))

const hasTwins = (key: CompositeKey): boolean => {
  const leaves = leavesOf(key)
  return new Set(leaves).size < leaves.length
}

/** What is wrong with a composite key's own numbers; nothing when it can be satisfied and must be worked for. */
const faultOf = (key: CompositeKey): string | undefined => {
  if (key.children.length === 0) return 'it has no children, so nobody could sign for it'
  if (![key.threshold, ...key.children.map(({ weight }) => weight)].every(Number.isSafeInteger))
    return 'threshold and weights must be whole numbers'
  if (key.children.some(({ weight }) => weight < 1)) return 'every weight must be at least 1'
  if (key.threshold < 1) return 'the threshold must be at least 1, or nobody would have to sign'
  if (!Number.isSafeInteger(totalWeight(key))) return 'its weights together are more than can be counted'
  // One signature would count twice, at whatever depth; a larger weight says the same and can be read.
  if (hasTwins(key)) return 'it has the same key twice; give that key more weight instead'
  return key.threshold > totalWeight(key) ? 'the threshold is more than all weights together' : undefined
}

/** A loop and not a recursion: what another party sends may be nested deeper than the stack is. */
const isTooDeep = (value: unknown): boolean => {
  let level: readonly unknown[] = typeof value === 'object' ? [value] : []
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= identityLimits.keyDepth) return true
    level = level.flatMap((key) => {
      const children: unknown = typeof key === 'object' && key !== null && 'children' in key ? key.children : undefined
      return Array.isArray(children)
        ? children.flatMap((child: unknown) =>
            typeof child === 'object' && child !== null && 'key' in child && typeof child.key === 'object'
              ? [child.key]
              : [],
          )
        : []
    })
  }
  return false
}

const bounded = <A>(codec: t.Type<A, unknown>): t.Type<A, unknown> =>
  new t.Type(
    codec.name,
    // A single key has no depth, and is what most keys are.
    (value): value is A => (typeof value === 'string' || !isTooDeep(value)) && codec.is(value),
    (value, context) =>
      isTooDeep(value)
        ? t.failure(value, context, `a composite key is nested more than ${identityLimits.keyDepth} deep`)
        : codec.validate(value, context),
    codec.encode,
  )

const CompositeC: t.Type<CompositeKey, unknown> = t.recursion<CompositeKey, unknown>('CompositeKey', () =>
  t.refinement(
    t.strict({
      threshold: IntegerC,
      children: t.readonlyArray(t.strict({ key: t.union([PublicKeyC, CompositeC]), weight: IntegerC })),
    }),
    (key) => faultOf(key) === undefined,
    'CompositeKey',
  ),
)

/** Codec of a composite key. */
export const CompositeKeyC: t.Type<CompositeKey, unknown> = bounded(CompositeC)

/** Codec of a key, single or composite. */
export const KeyC: t.Type<Key, unknown> = declarePlain(
  bounded<Key>(t.union([PublicKeyC, CompositeC], 'Key')),
  PublicKeyC.is,
  false,
)

const checked = (key: CompositeKey): CompositeKey => {
  const fault = isTooDeep(key) ? `it is nested more than ${identityLimits.keyDepth} deep` : faultOf(key)
  if (fault !== undefined) throw new CarillonError('definition-invalid', `The composite key cannot be used: ${fault}.`)
  return key
}

/** A key that so many of the given ones must sign for. */
export const thresholdOf = (threshold: number, keys: readonly Key[]): CompositeKey =>
  checked({ threshold, children: keys.map((key) => ({ key, weight: 1 })) })

/** A key that all of the given ones must sign for. */
export const allKeys = (keys: readonly Key[]): CompositeKey => thresholdOf(keys.length, keys)

/** A key whose children count differently. */
export const weighted = (threshold: number, children: CompositeKey['children']): CompositeKey =>
  checked({ threshold, children })

/** Whether the keys that have signed are enough. */
export const isSatisfiedBy = (key: Key, signed: ReadonlySet<PublicKey>): boolean =>
  typeof key === 'string'
    ? signed.has(key)
    : key.children.reduce((sum, child) => (isSatisfiedBy(child.key, signed) ? sum + child.weight : sum), 0) >=
      key.threshold

/** Every single key in the tree, each once. */
export const primitiveKeys = (key: Key): readonly PublicKey[] => [...new Set(leavesOf(key))]
