import { expect } from 'chai'
import fc from 'fast-check'
import { instant } from 'carillon'
import { addBusinessDays, addDays, daysBetween, isBusinessDay, localDate as day, rollDate } from 'carillon/calendars'
import { ledger } from 'carillon/testing'
import { observerApp } from '../app.js'
import { withFix } from '../flows/fixing.js'
import { accrued, Exact, rate } from '../money.js'
import { generate } from '../schedule.js'
import { nextEvent, nextUnfixed, paymentDates, paymentOn } from '../swap/events.js'
import { AgreeCommand, type SwapData } from '../swap/SwapKind.js'
import { withPaid } from '../swap/changes.js'
import { Swap } from '../swap/Swap.js'
import type { Terms } from '../terms/Terms.js'
import { exampleTrade } from '../trades.js'
import { delayedTrade } from './otherTrades.js'
import { arbitraryTrade } from './arbitraryTrade.js'
import { parties } from './parties.js'

/** Has a law hold for trades of every kind. */
const always = (law: (terms: Terms) => void): void => {
  fc.assert(fc.property(arbitraryTrade(parties), law), { numRuns: 100 })
}

/** Both legs of a trade, each with its periods. */
const legsOf = (terms: Terms) => {
  const { fixed, floating } = generate(terms)
  return [
    [terms.fixed, fixed],
    [terms.floating, floating],
  ] as const
}

const swapOf = (terms: Terms): SwapData => ({ ...terms, calculation: generate(terms) })

describe('The schedule of any trade', () => {
  it('is one that the contract accepts', () => {
    always((terms) => {
      ledger(observerApp)
        .transaction()
        .produce(Swap, swapOf(terms))
        .command(AgreeCommand, [parties.fixedPayer, parties.floatingPayer], { tradeId: 'any' })
        .timeWindow({ until: instant('2016-01-01T00:00Z') })
        .verifies()
    })
  })

  it('has periods without gap or overlap that end on business days and are fixed before they are paid', () => {
    always((terms) => {
      for (const [leg, rows] of legsOf(terms)) {
        expect(rows[0]?.from).to.equal(leg.effective)
        const rolled = leg.accrual === 'adjusted' ? rollDate(leg.calendar, leg.roll, leg.termination) : leg.termination
        expect(rows.at(-1)?.to).to.equal(rolled)
        rows.forEach((row, index) => {
          expect(row.from < row.to).to.be.true
          if (index > 0) expect(rows[index - 1]?.to).to.equal(row.from)
          const due = rollDate(leg.calendar, leg.roll, row.to)
          if (leg.roll !== 'none') expect(isBusinessDay(leg.calendar, due)).to.be.true
          const { days, counted } = leg.paymentDelay
          expect(row.pays).to.equal(
            counted === 'calendar' ? addDays(due, days) : addBusinessDays(leg.calendar, due, days),
          )
        })
      }
      for (const row of generate(terms).floating) {
        expect(isBusinessDay(terms.floating.fixing.calendar, row.fixes)).to.be.true
        expect(row.fixes <= row.from || terms.floating.fixing.offset === 0).to.be.true
      }
    })
  })

  it('has flows that add up: whole days to the whole term, and each to its notional, its rate and its days', () => {
    always((terms) => {
      for (const [leg, rows] of legsOf(terms)) {
        const last = rows.at(-1)?.to ?? leg.effective
        if (leg.dayCount.startsWith('Act/'))
          expect(rows.reduce((sum, { days }) => sum + days, 0)).to.equal(daysBetween(leg.effective, last))
      }
      for (const { from, to, flow } of generate(terms).fixed) {
        const { numerator, denominator } = accrued(terms.fixed.dayCount, from, to).fraction
        const exact = new Exact(terms.fixed.notional.minor).times(terms.fixed.rate).times(numerator).div(denominator)
        // A factor cut to four places is off by half of the last, and a flow by a cent.
        const slack = terms.common.rounding.factor.length === 0 ? 1 : terms.fixed.notional.minor * 0.000_051 * 0.2 + 1
        expect(exact.minus(flow).abs().toNumber()).to.be.at.most(slack)
      }
    })
  })

  it('is worked off to the end: every event in its order, and all that is paid is all that is owed', () => {
    fc.assert(
      fc.property(arbitraryTrade(parties), fc.integer({ min: -200, max: 500 }), (terms, basisPoints) => {
        const value = rate(new Exact(basisPoints).div(10_000))
        let swap = swapOf(terms)
        let events = 0
        for (let event = nextEvent(swap); event.kind !== 'maturity'; event = nextEvent(swap)) {
          events += 1
          if (event.kind === 'fixing') {
            expect(event.period).to.equal(nextUnfixed(swap))
            swap = withFix(swap, event.period, {
              of: { index: 'ICE LIBOR', day: event.period.fixes, tenor: terms.floating.index.tenor },
              rate: value,
            })
          } else swap = withPaid(swap, event.payment.date, event.payment.net, 'ref')
        }
        const { fixed, floating, paid } = swap.calculation
        expect(events).to.equal(floating.length + paymentDates(swap).length)
        const owed = [...fixed.map(({ flow }) => flow), ...floating.map(({ flow }) => -(flow ?? 0))]
        const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
        expect(sum(paid.map(({ net }) => net))).to.equal(sum(owed))
      }),
      { numRuns: 15 },
    )
  })
})

describe('The schedule of a trade that pays days after its periods', () => {
  it('pays on the day that this is, be it a Sunday', () => {
    const { fixed, floating } = generate(delayedTrade(parties))
    expect(fixed.map(({ pays }) => pays)).to.include('2020-09-13')
    expect([fixed.length, floating.length]).to.deep.equal([20, 40])
    expect(new Set(floating.map(({ fixes }) => fixes)).size).to.equal(40)
    expect(floating[0]?.fixes).to.equal('2016-03-08')
  })

  it('counts business days when it is told to', () => {
    const terms = exampleTrade(parties)
    const delayed = { ...terms, fixed: { ...terms.fixed, paymentDelay: { days: 2, counted: 'business' } as const } }
    // Monday 12 September 2016; and Monday 11 March 2019.
    const pays = generate(delayed).fixed.map((row) => row.pays)
    expect(pays).to.include.members(['2016-09-14', '2019-03-13'])
  })

  it('of a leg that is paid in advance pays the first period when it begins', () => {
    const terms = exampleTrade(parties)
    const { fixed } = generate({ ...terms, fixed: { ...terms.fixed, paymentRule: 'in-advance' } })
    expect(fixed.map(({ pays }) => pays).slice(0, 2)).to.deep.equal(['2016-03-11', '2016-09-12'])
    expect(
      paymentOn(swapOf({ ...terms, fixed: { ...terms.fixed, paymentRule: 'in-advance' } }), day('2016-03-11'))?.net,
    ).to.equal(21_067_320)
  })

  it('of a leg that accrues unadjusted earns by the dates before they were rolled', () => {
    const terms = exampleTrade(parties)
    const { fixed } = generate({ ...terms, fixed: { ...terms.fixed, accrual: 'unadjusted' } })
    expect(fixed[0]).to.deep.equal({
      pays: '2016-09-12',
      from: '2016-03-11',
      to: '2016-09-11',
      days: 180,
      factor: '0.5000',
      flow: 20_950_000,
    })
  })
})
