import { join } from 'node:path'
import { expect } from 'chai'
import { instant, startNode } from 'carillon'
import { VirtualClock } from 'carillon/testing'
import { carillon, documents, scratchFolder } from './spawnCarillon.js'
import { app, Sign } from './fixtures/rent.js'

const rent = join(import.meta.dirname, 'fixtures/rent.ts')

describe('carillon forecast', function () {
  const { folder, remove } = scratchFolder()
  const store = join(folder, 'data')
  const on = (...args: readonly string[]) =>
    carillon(['forecast', rent, '--store', store, '--from', '2026-01-02', ...args])

  before(async () => {
    const node = await startNode({ app, store, clock: new VirtualClock(instant('2026-01-01T00:00:00Z')) })
    await node.run(Sign, {})
    await node.stop()
  })
  after(remove)

  it('prints what will run as a table and a timeline, with the money and what was assumed, and changes nothing', async () => {
    const before = await carillon(['log', 'head', '--store', store])
    const { code, stdout, stderr } = await on('--until', '2026-05-01')
    expect(stderr).to.equal('')
    expect(code).to.equal(0)
    const lines = stdout.split('\n')
    expect(lines[0]).to.match(/^AT +FLOW +OUTCOME +DOES +CASH FLOWS/)
    expect(lines.slice(1, 5).map((line) => line.slice(0, 10))).to.deep.equal(
      ['02', '03', '04', '05'].map((month) => `2026-${month}-01`),
    )
    expect(lines[1]).to.match(/rent\/PayRent +completed +rent\/Pay → rent\/Lease +rent 900 EUR/)
    expect(stdout).to.match(/\nrent\/PayRent {2}[·▪]+\n +2026-01-02T00:00 +2026-05-01T00:00\n/)
    expect(stdout).to.include('4 flows from 2026-01-02T00:00:00.000Z until 2026-05-01T00:00:00.000Z')
    expect(stdout).to.include('Assumed: Step "ask for the rent" brings what was given for it.')
    expect((await carillon(['log', 'head', '--store', store])).stdout).to.equal(before.stdout)
  })

  it('prints everything as JSON, and says what is wrong with what it is asked', async () => {
    const [json, back, odd, limit] = await Promise.all([
      on('--until', '2027-01-01', '--json'),
      on('--until', '2025-01-01'),
      on('--until', 'tomorrow'),
      on('--until', '2027-01-01', '--limit', 'many'),
    ])
    const [future] = documents(json.stdout)
    expect(future?.['entries']).to.have.length(12)
    expect(future?.['states']).to.have.nested.property('0.data.paid', 12 * 900)
    expect(back.stderr).to.include('would end before it begins')
    expect(back.code).to.equal(2)
    expect(odd.stderr).to.include('It must be a day or a UTC instant')
    expect(odd.code).to.equal(2)
    expect(limit.stderr).to.include('It must be a whole number from 1 on')
  })
})
