import { expect } from 'chai'
import { expectedOf, runChoreLoad } from './choreLoad.js'

describe('many chores for a virtual month', () => {
  it('run exactly as often as their rule says, and do not drift beyond it', async () => {
    const report = await runChoreLoad(60)
    expect(report.wrong).to.deep.equal([])
    expect(report.runs).to.equal(
      Array.from({ length: 60 }, (_, place) => expectedOf(place).runs).reduce((a, b) => a + b),
    )
  })

  it('are told apart by what they count from: the outage shifts one kind and not the other', () => {
    const hour = 3_600
    // Every 12 hours, counted from the fire: the fire of hour 252 was not in the outage, so nothing shifts.
    expect(expectedOf(6)).to.deep.equal({ runs: 60, nextSeconds: 732 * hour })
    // Every 22 hours, from the fire: due at hour 242, fired at hour 245, and from there on three hours later.
    expect(expectedOf(16)).to.deep.equal({ runs: 32, nextSeconds: 729 * hour })
    // Every 11 hours, from the due instant: due at hour 242 as well, and back on the grid after it.
    expect(expectedOf(5)).to.deep.equal({ runs: 65, nextSeconds: 726 * hour })
  })
})
