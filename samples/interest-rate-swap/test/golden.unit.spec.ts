import { expect } from 'chai'
import { fixedAt } from '../swap/changes.js'
import { fixingInstant } from '../swap/events.js'
import type { SwapData } from '../swap/SwapKind.js'
import { generate } from '../schedule.js'
import { exampleRates, exampleTrade } from '../trades.js'
import { goldenFixed, goldenFloating } from './golden.js'
import { parties } from './parties.js'

const terms = exampleTrade(parties)
const swap: SwapData = { ...terms, calculation: generate(terms) }

describe('The example trade', () => {
  goldenFixed.split('\n').forEach((row, index) => {
    it(`pays fixed as the golden row says: ${row}`, () => {
      const { pays, from, to, days, factor, flow } = swap.calculation.fixed[index] ?? expect.fail('no such row')
      expect([pays, from, to, days, factor, flow].join(' ')).to.equal(row)
    })
  })

  goldenFloating.split('\n').forEach((row, index) => {
    it(`fixes and pays floating as the golden row says: ${row}`, () => {
      const period = swap.calculation.floating[index] ?? expect.fail('no such row')
      const fix = exampleRates.find(({ of }) => of.day === period.fixes) ?? expect.fail('no such rate')
      const { fixes, pays, from, to, days, factor, rate, flow } = fixedAt(swap, period, fix)
      expect([fixes, fixingInstant(swap, period), pays, from, to, days, factor, rate, flow].join(' ')).to.equal(row)
    })
  })

  it('has these rows and no others, and their sums', () => {
    const { fixed, floating } = swap.calculation
    expect([fixed.length, floating.length]).to.deep.equal([20, 40])
    expect(fixed.reduce((sum, { flow }) => sum + flow, 0)).to.equal(419_000_000)
    const flows = floating.map((period) => {
      const fix = exampleRates.find(({ of }) => of.day === period.fixes) ?? expect.fail('no such rate')
      return fixedAt(swap, period, fix).flow ?? 0
    })
    expect(flows.reduce((sum, flow) => sum + flow, 0)).to.equal(159_036_733)
    expect(exampleRates.at(0)).to.deep.include({ rate: '0.0063516' })
    expect(exampleRates.at(-1)).to.deep.include({ rate: '0.0063734' })
  })
})
