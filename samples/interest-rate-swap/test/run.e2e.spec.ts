/** The sample as it is run: the whole ten years in one process, and half a year in five. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { names } from '../network.js'
import { cashFlowTable, progressLine } from '../run/show.js'
import { latestSwap, runToMaturity, type RunResult } from '../run/virtualRun.js'
import { liveRun } from '../run/liveRun.js'
import { goldenFixed, goldenFloating } from './golden.js'

describe('Ten years of the example trade', () => {
  let result: RunResult
  const shown: string[] = []

  before(async function () {
    result = await runToMaturity({
      onProgress: (swap, now, from, until) => shown.push(progressLine(swap, from, until, now)),
    })
  })

  it('end with every rate fixed, every difference paid, and the state gone, for both banks and the regulator', async () => {
    const { network, last, isMatured } = result
    expect(isMatured).to.be.true
    const { fixed, floating, paid, overdue } = last.calculation
    expect(
      fixed.map(({ pays, from, to, days, factor, flow }) => [pays, from, to, days, factor, flow].join(' ')),
    ).to.deep.equal(goldenFixed.split('\n'))
    expect(
      floating.map(({ fixes, pays, from, to, days, factor, rate, flow }) =>
        [fixes, pays, from, to, days, factor, rate, flow].join(' '),
      ),
    ).to.deep.equal(goldenFloating.split('\n').map((row) => row.replace(/ \S+Z /, ' ')))
    expect([paid.length, overdue.length]).to.deep.equal([40, 0])
    for (const name of [names.floatingPayer, names.regulator])
      expect(await latestSwap(network.node(name)), name).to.deep.equal({ swap: last, isOver: true })
  })

  it('start each fixing at its instant at Bank B, each payment at the bank that owes, and nothing at the regulator', async () => {
    const { network } = result
    const started = async (name: string, flow: string) => {
      const { items } = await network.node(name).flows({ name: flow, limit: 1_000 })
      expect(items.every(({ status }) => status === 'completed')).to.be.true
      return items.map(({ startedAt }) => startedAt).reverse()
    }
    expect(await started(names.floatingPayer, 'swap/Fixing')).to.deep.equal(
      goldenFloating.split('\n').map((row) => row.split(' ')[1]),
    )
    expect(await started(names.fixedPayer, 'swap/Fixing')).to.deep.equal([])
    expect(await started(names.fixedPayer, 'swap/Payment')).to.have.lengthOf(20)
    expect(await started(names.floatingPayer, 'swap/Payment')).to.have.lengthOf(20)
    const watched = await network.node(names.regulator).flows({ limit: 1_000 })
    expect(new Set(watched.items.map(({ name }) => name))).to.deep.equal(new Set(['carillon/ReceiveBroadcast']))
  })

  it('print the table that the README shows, and progress on the way', () => {
    const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
    expect(readme).to.contain(cashFlowTable(result.last).join('\n'))
    expect(shown[19]).to.match(/^2021-0\d-\d\d █{15}░{15} 2\d of 40 fixed, 2\d paid$/)
  })
})

describe('Half a year of the example trade in processes of their own', () => {
  it('end with the same flows and one payment a date, although both banks are killed on the way', async () => {
    const scratch = mkdtempSync(join(tmpdir(), 'carillon-swap-'))
    const said: string[] = []
    try {
      const folder = join(scratch, 'network')
      const last = await liveRun({
        daysPerSecond: 100_000,
        say: (...lines) => said.push(...lines),
        folder,
        kills: 2,
        until: '2016-09-12',
      })
      const flows = last.calculation.floating.map(({ flow }) => flow)
      expect(flows).to.deep.equal([4_058_800, 3_925_721])
      expect(last.calculation.paid).to.have.lengthOf(2)
      expect(said).to.include('Matured.')
      const killed = said.filter((line) => line.includes('killed process'))
      expect(killed).to.have.lengthOf(2)
      expect(killed[0]).to.match(/^2016-03-09 {2}killed process \d+ of Bank B; process \d+ goes on$/)
      expect(killed[1]).to.match(/^2016-\d\d-\d\d {2}killed process \d+ of Bank A; process \d+ goes on$/)
      expect(readdirSync(join(folder, 'payments')).filter((file) => file.endsWith('.json'))).to.have.lengthOf(2)
      expect(existsSync(join(folder, 'Bank A', 'store'))).to.be.true
    } finally {
      rmSync(scratch, { recursive: true, force: true })
    }
  })
})
