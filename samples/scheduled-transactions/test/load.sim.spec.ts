import { expect } from 'chai'
import { runLoad } from './load/runLoad.js'

describe('many schedules pending at one time, with up to a hundred signers each', function () {
  it('end exactly once each: executed by their last signature, or expired without it', async () => {
    const { mostPending, executed, expired, moved, signatures } = await runLoad(70)
    expect(mostPending).to.equal(70)
    expect([executed, expired]).to.deep.equal([63, 7])
    expect(moved, 'one transfer for each execution').to.equal(executed)
    expect(signatures).to.equal(10 * (1 + 2 + 5 + 10 + 25 + 50 + 100) - 7)
  })
})
