import { expect } from 'chai'
import { simulate } from 'carillon/testing'
import { workshopSimulation } from '../defects/workshop.js'

describe('The histories of a simulation', () => {
  it('meet every boundary, whichever fifty they are', async () => {
    const report = await simulate({
      ...workshopSimulation,
      seeds: Array.from({ length: 50 }, (_, place) => 7_000 + place),
    })
    expect(
      report.failures.flatMap(({ seed, violations }) => violations.map(({ what }) => `${seed}: ${what}`)),
    ).to.deep.equal([])
    for (const [boundary, times] of Object.entries(report.boundaries)) expect(times, boundary).to.be.at.least(1)
  })
})
