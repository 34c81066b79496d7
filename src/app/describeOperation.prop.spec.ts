/** The digest of an operation: its kind and its identity decide it, and nothing else. */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { canonicalText, type Json } from '../encoding/canonical.js'
import { valueAnswer } from '../flow/Answer.js'
import { defineOperation } from '../flow/defineOperation.js'
import { describeOperation, differenceBetween, digestOf } from './describeOperation.js'
import type { Description } from '../flow/Description.js'

type Sample = { readonly kind: 'sample'; readonly identity: Readonly<Record<string, Json>> }

const identities = fc.dictionary(
  fc.string(),
  fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.maxSafeInteger().filter((n) => !Object.is(n, -0)),
    fc.boolean(),
  ),
  { noNullPrototype: true },
)

/** The same kind as two releases would define it, with other words. */
const describedAs = (operation: Sample, label: string): string => {
  const { kind, identity } = defineOperation<Sample, unknown>({
    kind: 'sample',
    identity: (sample) => sample.identity,
    label: () => label,
    decide: () => valueAnswer(undefined),
  })
  return digestOf(kind, identity(operation))
}

describe('The digest of an operation', () => {
  it('is the same for the same identity, whatever the label and the order of its members', () => {
    fc.assert(
      fc.property(identities, fc.string(), fc.string(), (identity, label, reworded) => {
        const reversed = Object.fromEntries(Object.entries(identity).reverse())
        expect(describedAs({ kind: 'sample', identity }, label)).to.equal(
          describedAs({ kind: 'sample', identity: reversed }, reworded),
        )
      }),
    )
  })

  it('is the same for any progress text, also one that cannot be encoded', () => {
    const { digest } = describeOperation({ kind: 'progress', label: '' })
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (label) => {
        expect(describeOperation({ kind: 'progress', label })).to.include({ kind: 'progress', digest })
      }),
    )
  })

  it('differs for another identity and for another kind', () => {
    fc.assert(
      fc.property(identities, identities, (identity, other) => {
        fc.pre(canonicalText(identity) !== canonicalText(other))
        expect(digestOf('sample', identity)).to.not.equal(digestOf('sample', other))
        expect(digestOf('sample', identity)).to.not.equal(digestOf('other', identity))
      }),
    )
  })

  it('is the beginning of the SHA-256 of the kind, a line feed, and the canonical text of the identity', () => {
    const text = 'find\n{"key":"2","type":"test/Coin"}'
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 16)
    expect(digestOf('find', { type: 'test/Coin', key: '2', absent: undefined })).to.equal(digest)
  })
})

describe('The difference between a recorded and a coded operation', () => {
  const now: Description = { kind: 'now', digest: 'd', label: 'now' }

  it('is none when only the labels differ, or are missing', () => {
    for (const label of ['the time', '']) expect(differenceBetween(0, now, { ...now, label })).to.equal(undefined)
    expect(differenceBetween(0, { kind: 'now', digest: 'd' }, now)).to.equal(undefined)
  })

  it('names the part where that is what differs', () => {
    expect(differenceBetween(4, { ...now, part: '1.2' }, { ...now, part: '1.1' })).to.equal(
      'operation 4 was recorded as now in part 1.2; the code now asks for now in part 1.1',
    )
    expect(differenceBetween(4, now, { ...now, part: '2' })).to.equal(
      'operation 4 was recorded as now in the flow itself; the code now asks for now in part 2',
    )
    expect(differenceBetween(4, { ...now, part: '2' }, { ...now, part: '2' })).to.equal(undefined)
  })

  it('names the kind of an operation that was recorded without a label', () => {
    expect(differenceBetween(1, { kind: 'sleep', digest: 'a' }, { kind: 'sleep', digest: 'b' })).to.equal(
      'operation 1 was recorded as sleep; the code now asks for sleep, with other arguments',
    )
  })
})
