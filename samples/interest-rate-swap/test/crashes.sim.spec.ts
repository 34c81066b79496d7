/** Whoever crashes, and whenever: the trade comes out the same, and every payment is made once. */
import { expect } from 'chai'
import { runWithCrashes, type Outcome } from '../run/crashes.js'

describe('A swap whose parties crash', () => {
  let calm: Outcome

  before(async () => {
    calm = await runWithCrashes()
    expect(Object.values(calm.held).map((held) => held?.isOver)).to.deep.equal([true, true, true])
    expect(calm.payments).to.have.lengthOf(6)
  })

  for (const seed of ['1', '2', '3']) {
    it(`comes out the same: seed ${seed}`, async () => {
      const { crashes, held, payments } = await runWithCrashes(seed)
      expect(crashes).to.be.greaterThan(5)
      expect(held).to.deep.equal(calm.held)
      expect(payments).to.deep.equal(calm.payments)
    })
  }
})
