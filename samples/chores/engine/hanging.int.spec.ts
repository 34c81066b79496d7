import { expect } from 'chai'
import { runHangingLoad } from '../test/load/hangingLoad.js'

/** More: npm run load:chores:hanging */
const hangingTasks = 300

describe(`${hangingTasks} tasks that hang`, () => {
  it('stop no other chore, and time out as promised', async () => {
    const { otherRuns, wrong, lastFailedAfter, promisedWithin } = await runHangingLoad(hangingTasks)
    expect(otherRuns).to.be.within(5, 6)
    expect(wrong).to.deep.equal([])
    expect(lastFailedAfter).to.be.within(120, promisedWithin)
  })
})
