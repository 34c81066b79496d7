/** A history that its owner has notarised alone, handed over real connections, in the small; `npm run test:history` has the year. */
import { expect } from 'chai'
import { engineLimits } from '../../src/engine/limits.js'
import { logLimits } from '../../src/log/limits.js'
import { transferHistory } from './transferHistory.js'

describe('A history of 600 beats between nodes on disk', () => {
  it('is handed over whole and once, in bounded ticks, by a receiver that is killed half way', async () => {
    const report = await transferHistory(600)
    // The beats, the change of notary that others need, and what they share.
    expect(report.recorded).to.equal(602)
    expect(report.recordedTwice).to.equal(0)
    expect(report.heldWhenKilled).to.be.within(300, 601)
    expect(report.largestTickBytes).to.be.at.most(engineLimits.tickBytes + logLimits.factBytes)
  })
})
