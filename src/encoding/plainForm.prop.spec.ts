import { isRight } from 'fp-ts/lib/Either.js'
import { expect } from 'chai'
import * as fc from 'fast-check'
import * as t from 'io-ts'
import { arbitraryOf, jsonValues } from '../../test/log/arbitraryOf.js'
import { PartyC } from '../identity/Party.js'
import { ActivityC } from '../ledger/Activity.js'
import { TransactionBodyC } from '../ledger/Transaction.js'
import { InstantC } from '../time/Instant.js'
import { canonicalText, Encoded } from './canonical.js'
import { IntegerC } from './IntegerC.js'
import { plainForm, plainText } from './plainForm.js'

const codecs: readonly t.Mixed[] = [
  t.string,
  t.number,
  t.strict({ a: t.string, b: IntegerC }),
  t.strict({ list: t.readonlyArray(t.strict({ deep: t.boolean })), at: InstantC }),
  t.intersection([t.strict({ a: t.string }), t.exact(t.partial({ b: t.null, c: t.keyof({ x: null, y: null }) }))]),
  t.union([t.strict({ kind: t.literal('one'), a: t.string }), t.strict({ kind: t.literal('two'), b: t.string })]),
  t.union([t.strict({ a: t.string }), t.null, t.string]),
  PartyC,
  ActivityC,
  TransactionBodyC,
]

/** A date as text outside and as a date inside: a codec that does change what it is given. */
const DateC = new t.Type<Date, string>(
  'Date',
  (value): value is Date => value instanceof Date,
  (value, context) => (typeof value === 'string' ? t.success(new Date(value)) : t.failure(value, context)),
  (date) => date.toISOString(),
)

/** What io-ts-types does to give a codec another encoder or validator. */
const cloneOf = <C extends t.Mixed>(codec: C, change: Partial<C>): C =>
  Object.assign(Object.create(Object.getPrototypeOf(codec) as object) as C, codec, change)

describe('the quick way through a codec', () => {
  for (const codec of codecs) {
    const form = plainForm(codec)

    it(`never takes what ${codec.name} would refuse or change`, () => {
      fc.assert(
        fc.property(fc.oneof(jsonValues, arbitraryOf(codec), fc.tuple(arbitraryOf(codec), jsonValues)), (value) => {
          const both = Array.isArray(value) && value.length === 2 ? [value[0], extended(value[0])] : [value]
          for (const one of both) {
            if (form?.check(one) !== true) continue
            const decoded = codec.decode(one)
            expect(isRight(decoded) && canonicalText(decoded.right)).to.equal(canonicalText(one))
            expect(canonicalText(codec.encode(one))).to.equal(canonicalText(one))
          }
        }),
      )
    })

    it(`takes what ${codec.name} leaves as it is, and writes its canonical text`, () => {
      fc.assert(
        fc.property(arbitraryOf(codec), (value) => {
          if (form === undefined) throw new Error('there is no quick way')
          const plain: unknown = JSON.parse(canonicalText(value))
          if (form.check(plain)) expect(plainText(form, plain)).to.equal(canonicalText(value))
          // Composite keys are left to their own codec; everything else must go the quick way.
          else expect(canonicalText(value)).to.include('threshold')
        }),
      )
    })
  }

  const extended = (value: unknown): unknown =>
    typeof value === 'object' && value !== null ? { ...value, extra: 1 } : value

  it('puts in text made earlier as it stands', () => {
    const form = plainForm(t.strict({ a: t.string, list: t.readonlyArray(t.strict({ b: t.string })) }))
    expect(plainText(form!, { list: [new Encoded('{"b":"y"}')], a: new Encoded('"x"') })).to.equal(
      '{"a":"x","list":[{"b":"y"}]}',
    )
  })

  it('names the place of what has no canonical form', () => {
    const form = plainForm(t.strict({ a: t.strict({ b: t.number }) }))
    expect(() => plainText(form!, { a: { b: Number.NaN } })).to.throw('NaN at a.b has no canonical form')
  })

  it('does not exist for codecs that change values, wherever they stand', () => {
    for (const codec of [
      DateC,
      t.strict({ at: DateC }),
      t.readonlyArray(DateC),
      t.union([t.string, DateC]),
      t.type({ open: t.string }),
      cloneOf(t.string, { encode: (text: string) => text.trim() }),
      t.strict({ a: cloneOf(t.strict({ b: t.string }), { validate: () => t.success({ b: 'another' }) }) }),
    ])
      expect(plainForm(codec), codec.name).to.equal(undefined)
  })

  it('leaves a union to io-ts whose earlier member would strip what a later one keeps', () => {
    expect(plainForm(t.union([t.strict({ a: t.string }), t.strict({ a: t.string, b: t.string })]))).to.equal(undefined)
  })

  it('leaves sparse lists, instances of classes and undefined members to the codec', () => {
    class Point {
      readonly a = 'x'
    }
    const form = plainForm(t.strict({ a: t.string }))
    expect(form?.check(new Point())).to.equal(false)
    expect(form?.check({ a: 'x', b: undefined })).to.equal(false)
    // oxlint-disable-next-line no-sparse-arrays -- a sparse list is what is tested
    expect(plainForm(t.readonlyArray(t.unknown))?.check([1, , 2])).to.equal(false)
  })
})
