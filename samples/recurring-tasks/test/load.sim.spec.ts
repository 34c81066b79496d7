import { expect } from 'chai'
import { runLoad } from './load/runLoad.js'

describe('a day of load with an outage of three hours', function () {
  it('accounts for every execution exactly once: executed, failed or missed', async () => {
    const { account, expected, tasksLeft } = await runLoad(200, { slotSeconds: 300 })
    expect(expected.size).to.equal(200 * 24)
    expect(account.doubled).to.deep.equal([])
    expect([...expected].filter((execution) => !account.ended.has(execution))).to.deep.equal([])
    expect(account.executed + account.failed + account.missed).to.equal(expected.size)
    expect(account.failed).to.be.above(0)
    // Three hours of 24, less the slot in which the node came back.
    expect(account.missed).to.equal(3 * 200 - Math.ceil(200 / 12))
    expect(tasksLeft).to.equal(0)
  })
})
