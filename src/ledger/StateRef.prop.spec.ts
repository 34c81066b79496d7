import { expect } from 'chai'
import * as fc from 'fast-check'
import { hashes } from '../../test/log/arbitraryOf.js'
import type { Hash } from '../encoding/hash.js'
import { ledgerLimits } from './limits.js'
import { parseRef, sameRef, showRef } from './StateRef.js'

const refs = fc.record({
  transaction: hashes.map((hash) => hash as Hash),
  index: fc.nat({ max: ledgerLimits.componentsPerTransaction }),
})

describe('a state ref', () => {
  it('is read back from its text', () => {
    fc.assert(
      fc.property(refs, (ref) => {
        expect(parseRef(showRef(ref))).to.deep.equal(ref)
      }),
    )
  })

  it('is the same as another exactly when its text is', () => {
    const close = fc
      .tuple(refs, refs)
      .chain(([a, b]) =>
        fc.tuple(fc.constant(a), fc.constantFrom(a, b, { ...a, index: b.index }, { ...a, transaction: b.transaction })),
      )
    fc.assert(
      fc.property(close, ([a, b]) => {
        expect(sameRef(a, b)).to.equal(showRef(a) === showRef(b))
      }),
    )
  })

  it('has one spelling: whatever text is accepted is written that way again', () => {
    const near = fc.tuple(refs.map(showRef), fc.constantFrom('', ' ', '0', ':', '-1', 'A', '\n'), fc.nat({ max: 70 }))
    fc.assert(
      fc.property(near, ([text, added, place]) => {
        const altered = text.slice(0, place) + added + text.slice(place)
        let read: string
        try {
          read = showRef(parseRef(altered))
        } catch (error) {
          expect(error).to.have.property('code', 'state-unknown')
          return
        }
        expect(read).to.equal(altered)
      }),
      { numRuns: 500 },
    )
    for (const text of [
      '',
      ':',
      `${'a'.repeat(64)}:`,
      `${'a'.repeat(64)}:00`,
      `${'A'.repeat(64)}:0`,
      `${'a'.repeat(63)}:0`,
    ])
      expect(() => parseRef(text))
        .to.throw()
        .with.property('code', 'state-unknown')
  })
})
