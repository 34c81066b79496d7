import { expect } from 'chai'
import fc from 'fast-check'
import { instantMillis, instantText } from './instantText.js'

const earliestMs = Date.parse('0000-01-01T00:00:00.000Z')
const latestMs = Date.parse('9999-12-31T23:59:59.999Z')

describe('the text of an instant', () => {
  const instants = fc.integer({ min: earliestMs, max: latestMs })

  it('is what the platform writes, and reads back as what was written', () => {
    fc.assert(
      fc.property(instants, (ms) => {
        expect(instantText(ms)).to.equal(new Date(ms).toISOString())
        expect(instantMillis(instantText(ms))).to.equal(ms)
      }),
    )
  })

  it('is right on both sides of midnight, before and after 1970', () => {
    for (const midnight of ['1969-12-31', '1970-01-01', '2000-02-29', '0000-01-02', '9999-12-31'].map(Date.parse))
      for (const ms of [midnight - 1, midnight, midnight + 1, midnight + 86_399_999])
        if (ms >= earliestMs) expect(instantMillis(instantText(ms))).to.equal(ms)
  })

  it('cannot be had from text that is none', () => {
    expect(instantMillis('tomorrow')).to.be.NaN
    expect(instantMillis('2026-13-31T09:00:00.000Z')).to.be.NaN
  })
})
