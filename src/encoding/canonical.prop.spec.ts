import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { jsonValues, texts } from '../../test/log/arbitraryOf.js'
import { canonicalText, Encoded, encoded, utf8Length } from './canonical.js'

/** The same value with the keys of every object in another order. */
const shuffled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffled)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, shuffled(member)]),
  )
}

/** Plain objects alone, as a JSON parser makes them. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** The value with one member, item or leaf changed. */
const changedAt = (value: unknown, choices: readonly number[]): unknown => {
  const [choice = 0, ...rest] = choices
  if (Array.isArray(value) && value.length > 0) {
    const place = choice % value.length
    return value.map((item: unknown, index) => (index === place ? changedAt(item, rest) : item))
  }
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0) {
    const keys = Object.keys(value)
    const key = keys[choice % keys.length]!
    const members = Object.entries(value)
    return choice % 3 === 0
      ? Object.fromEntries(members.filter(([name]) => name !== key))
      : Object.fromEntries(members.map(([name, member]) => [name, name === key ? changedAt(member, rest) : member]))
  }
  return [value]
}

describe('the canonical text', () => {
  it('is the same for equal values, whatever the order of their keys', () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        expect(canonicalText(shuffled(value))).to.equal(canonicalText(value))
      }),
    )
  })

  it('has the members of an object in the order of their keys, few or many', () => {
    fc.assert(
      fc.property(fc.uniqueArray(texts, { maxLength: 40 }), (keys) => {
        const text = canonicalText(Object.fromEntries(keys.map((key) => [key, null])))
        const members = keys.toSorted().map((key) => `${JSON.stringify(key)}:null`)
        expect(text).to.equal(`{${members.join(',')}}`)
      }),
    )
  })

  it('is JSON for the value itself, on one line', () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        const text = canonicalText(value)
        expect(text).to.not.match(/[\n\r]/)
        expect(isDeepStrictEqual(JSON.parse(text), plain(value)), text).to.equal(true)
      }),
    )
  })

  it('of a parsed canonical text is that text', () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        const text = canonicalText(value)
        expect(canonicalText(JSON.parse(text))).to.equal(text)
      }),
    )
  })

  it('differs for different values, however small the change', () => {
    fc.assert(
      fc.property(jsonValues, fc.array(fc.nat(), { maxLength: 5 }), (value, choices) => {
        expect(canonicalText(changedAt(value, choices))).to.not.equal(canonicalText(value))
      }),
    )
    fc.assert(
      fc.property(jsonValues, jsonValues, (one, other) => {
        expect(canonicalText(one) === canonicalText(other)).to.equal(isDeepStrictEqual(plain(one), plain(other)))
      }),
    )
  })

  it('is the same for an absent member and an undefined one', () => {
    fc.assert(
      fc.property(fc.dictionary(texts, jsonValues), texts, (value, key) => {
        fc.pre(!Object.hasOwn(value, key) && key !== '__proto__')
        expect(canonicalText({ ...value, [key]: undefined })).to.equal(canonicalText({ ...value }))
      }),
    )
  })

  it('made earlier is put into a larger value as it stands', () => {
    fc.assert(
      fc.property(jsonValues, jsonValues, (inner, beside) => {
        expect(canonicalText({ inner: encoded(inner), list: [encoded(inner), beside] })).to.equal(
          canonicalText({ inner, list: [inner, beside] }),
        )
        expect(canonicalText(new Encoded(canonicalText(inner)))).to.equal(canonicalText(inner))
      }),
    )
  })

  it('has as many bytes as UTF-8 gives it', () => {
    fc.assert(fc.property(texts, (text) => utf8Length(text) === Buffer.byteLength(text)))
  })

  const cycle: { self?: unknown } = {}
  cycle.self = cycle
  let deep: unknown = 0
  for (let depth = 0; depth < 200_000; depth++) deep = [deep]

  const refused: readonly (readonly [string, unknown])[] = [
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['minus zero', -0],
    ['an integer beyond the safe range', 2 ** 53],
    ['a huge number', 1e300],
    ['a big integer', 1n],
    ['undefined', undefined],
    ['a hole in a list', [undefined]],
    ['a function', () => 0],
    ['a symbol', Symbol('s')],
    ['a date', new Date(0)],
    ['a map', new Map()],
    [
      'a class of its own',
      new (class Point {
        readonly x = 1
      })(),
    ],
    ['half a surrogate pair', 'a\ud800'],
    ['half a surrogate pair in a key', { '\udc00': 1 }],
    ['a cycle', cycle],
    ['a value nested too deeply', deep],
  ]

  for (const [what, value] of refused)
    it(`does not exist for ${what}, anywhere in a value`, () => {
      expect(() => canonicalText(value))
        .to.throw()
        .with.property('code', 'value-not-encodable')
      if (what.includes('deep')) return
      fc.assert(
        fc.property(texts, fc.dictionary(texts, jsonValues), (key, beside) => {
          fc.pre(key !== '__proto__')
          const inside = value === undefined ? [value] : value
          expect(() => canonicalText({ ...beside, [key]: inside }))
            .to.throw()
            .with.property('code', 'value-not-encodable')
        }),
        { numRuns: 10 },
      )
    })

  it('names the place of what it refuses', () => {
    expect(() => canonicalText({ a: [{ b: 1 }, { c: Number.NaN }] })).to.throw('NaN at a.1.c has no canonical form')
  })

  it('names the place of the very value that it speaks of, when there are several', () => {
    expect(() => canonicalText({ when: new Date(0), total: 10n })).to.throw('A value of type bigint at total has no')
    expect(() => canonicalText([{ b: 1n, a: () => 1 }])).to.throw('A value of type function at 0.a has no')
  })
})
