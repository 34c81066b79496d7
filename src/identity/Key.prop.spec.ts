/** What composite keys promise: one rule for every tree, and more signatures never harm. */
import { expect } from 'chai'
import fc from 'fast-check'
import { isRight } from 'fp-ts/lib/Either.js'
import { CarillonError } from '../errors/CarillonError.js'
import { identityLimits } from './limits.js'
import { allKeys, CompositeKeyC, isSatisfiedBy, KeyC, primitiveKeys, thresholdOf, weighted, type Key } from './Key.js'
import { PublicKeyC, type PublicKey } from './PublicKey.js'

const keyOf = (place: number): PublicKey => {
  const decoded = PublicKeyC.decode(`ed25519:${place.toString(16).padStart(64, 'a')}`)
  if (isRight(decoded)) return decoded.right
  throw new Error('not a key')
}

const primitives = Array.from({ length: 8 }, (_, place) => keyOf(place))
const [a, b, c, d] = primitives as [PublicKey, PublicKey, PublicKey, PublicKey]

const primitive = fc.constantFrom(...primitives)

const anyTrees: fc.Arbitrary<Key> = fc.letrec<{ key: Key; composite: Key }>((tie) => ({
  key: fc.oneof({ depthSize: 'small', withCrossShrink: true }, primitive, tie('composite')),
  composite: fc
    .uniqueArray(fc.record({ key: tie('key'), weight: fc.integer({ min: 1, max: 5 }) }), {
      minLength: 1,
      maxLength: 4,
      selector: ({ key }) => JSON.stringify(key),
    })
    .chain((children) =>
      fc
        .integer({ min: 1, max: children.reduce((sum, { weight }) => sum + weight, 0) })
        .map((threshold) => ({ threshold, children })),
    ),
})).key

/** The single keys in a tree, as often as they stand in it. */
const leavesOf = (key: Key): readonly PublicKey[] =>
  typeof key === 'string' ? [key] : key.children.flatMap((child) => leavesOf(child.key))

const trees = anyTrees.filter((key) => new Set(leavesOf(key)).size === leavesOf(key).length)

const subsets = fc.subarray(primitives).map((keys) => new Set(keys))

/** The rule read literally, to compare with. */
const holds = (key: Key, signed: ReadonlySet<PublicKey>): boolean => {
  if (typeof key === 'string') return signed.has(key)
  let sum = 0
  for (const child of key.children) if (holds(child.key, signed)) sum += child.weight
  return sum >= key.threshold
}

const refusal = (make: () => unknown): CarillonError => {
  try {
    make()
  } catch (error) {
    if (error instanceof CarillonError) return error
  }
  throw new Error('nothing was refused')
}

describe('A composite key', () => {
  it('of all needs each of them', () => {
    const key = allKeys([a, b, c])
    expect(isSatisfiedBy(key, new Set([a, b, c, d]))).to.equal(true)
    for (const missing of [a, b, c])
      expect(isSatisfiedBy(key, new Set([a, b, c].filter((one) => one !== missing)))).to.equal(false)
  })

  it('of m of n is satisfied by exactly those sets that hold m of its keys', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), subsets, (threshold, signed) => {
        expect(isSatisfiedBy(thresholdOf(threshold, primitives), signed)).to.equal(signed.size >= threshold)
      }),
    )
  })

  it('counts weights, and a branch counts only as a whole', () => {
    const key = weighted(3, [
      { key: a, weight: 2 },
      { key: allKeys([b, c]), weight: 1 },
      { key: d, weight: 1 },
    ])
    expect(isSatisfiedBy(key, new Set([a, d]))).to.equal(true)
    expect(isSatisfiedBy(key, new Set([a, b]))).to.equal(false)
    expect(isSatisfiedBy(key, new Set([a, b, c]))).to.equal(true)
    expect(isSatisfiedBy(key, new Set([b, c, d]))).to.equal(false)
  })

  it('is satisfied as the rule says, whatever the tree', () => {
    fc.assert(
      fc.property(trees, subsets, (key, signed) => {
        expect(isSatisfiedBy(key, signed)).to.equal(holds(key, signed))
      }),
    )
  })

  it('stays satisfied when more keys sign, by its own keys alone, and by all of them', () => {
    fc.assert(
      fc.property(trees, subsets, subsets, (key, signed, more) => {
        const own = new Set(primitiveKeys(key))
        if (isSatisfiedBy(key, signed)) expect(isSatisfiedBy(key, new Set([...signed, ...more]))).to.equal(true)
        expect(isSatisfiedBy(key, new Set([...signed].filter((one) => own.has(one))))).to.equal(
          isSatisfiedBy(key, signed),
        )
        expect(isSatisfiedBy(key, own)).to.equal(true)
        expect(isSatisfiedBy(key, new Set())).to.equal(false)
        expect(primitiveKeys(key)).to.have.lengthOf(own.size)
      }),
    )
  })

  it('reads back from its JSON as it was written', () => {
    fc.assert(
      fc.property(trees, (key) => {
        expect(KeyC.decode(JSON.parse(JSON.stringify(KeyC.encode(key))))).to.deep.equal({ _tag: 'Right', right: key })
      }),
    )
  })

  const child = (key: Key, weight = 1) => ({ key, weight })
  const malformed: Readonly<Record<string, { readonly threshold: number; readonly children: unknown[] }>> = {
    'no children': { threshold: 1, children: [] },
    'a threshold of nothing': { threshold: 0, children: [child(a)] },
    'a negative threshold': { threshold: -1, children: [child(a)] },
    'a threshold out of reach': { threshold: 3, children: [child(a), child(b)] },
    'a broken threshold': { threshold: 1.5, children: [child(a), child(b)] },
    'a weightless child': { threshold: 1, children: [child(a, 0), child(b)] },
    'a child of negative weight': { threshold: 1, children: [child(a, -1), child(b, 2)] },
    'a child of broken weight': { threshold: 1, children: [child(a, 0.5), child(b)] },
    'the same child twice': { threshold: 2, children: [child(a), child(a)] },
    'the same branch twice': { threshold: 2, children: [child(allKeys([a, b])), child(allKeys([a, b]))] },
    'weights beyond counting': {
      threshold: 1,
      children: [child(a, Number.MAX_SAFE_INTEGER), child(b, Number.MAX_SAFE_INTEGER)],
    },
  }
  for (const [what, key] of Object.entries(malformed)) {
    it(`is refused with ${what}, made or received, also deep inside another`, () => {
      const children = key.children as { readonly key: Key; readonly weight: number }[]
      expect(refusal(() => weighted(key.threshold, children)).code).to.equal('definition-invalid')
      expect(isRight(KeyC.decode(key))).to.equal(false)
      expect(isRight(CompositeKeyC.decode(key))).to.equal(false)
      expect(isRight(KeyC.decode({ threshold: 1, children: [child(b), { key, weight: 1 }] }))).to.equal(false)
    })
  }

  it('is refused when nested deeper than allowed, even deeper than the stack, and not a step sooner', () => {
    const nested = (depth: number): unknown => {
      let key: unknown = a
      for (let level = 0; level < depth; level++) key = { threshold: 1, children: [{ key, weight: 1 }] }
      return key
    }
    expect(isRight(KeyC.decode(nested(identityLimits.keyDepth)))).to.equal(true)
    for (const depth of [identityLimits.keyDepth + 1, 100_000]) {
      expect(isRight(KeyC.decode(nested(depth))), String(depth)).to.equal(false)
      expect(KeyC.is(nested(depth)), String(depth)).to.equal(false)
    }
    let made: Key = a
    for (let level = 0; level < identityLimits.keyDepth; level++) made = allKeys([made])
    expect(refusal(() => allKeys([made])).message).to.contain(`${identityLimits.keyDepth} deep`)
  })
})
