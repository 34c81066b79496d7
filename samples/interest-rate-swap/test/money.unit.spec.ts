import { expect } from 'chai'
import fc from 'fast-check'
import { addDays, daysBetween, localDate as day } from 'carillon/calendars'
import {
  accrued,
  amount,
  currency,
  factorOf,
  flowOf,
  percent,
  plainRounding,
  rate,
  RateC,
  showAmount,
  showMinor,
  showPercent,
  twiceRounded,
  type DayCount,
  type RoundingMode,
} from '../money.js'

describe('rates', () => {
  it('have one spelling, so that equal rates are equal', () => {
    expect(rate('0.50')).to.equal('0.5')
    expect(rate('-0.0010')).to.equal('-0.001')
    expect(rate('-0.0')).to.equal('0')
    expect(percent('1.677')).to.equal('0.01677')
    expect(showPercent(rate('0.0063518'))).to.equal('0.63518 %')
    for (const text of ['0.50', '1e-7', '.5', '-0', '00', '', '0.', '1,5']) expect(RateC.is(text), text).to.be.false
    for (const text of ['', 'NaN', '1e3', '1,5']) expect(() => rate(text), text).to.throw(RangeError)
  })
})

describe('amounts', () => {
  it('are minor units, as many as the currency has to a unit', () => {
    expect(amount('EUR', 25_000_000).minor).to.equal(2_500_000_000)
    expect(amount('JPY', 5_000).minor).to.equal(5_000)
    expect(showAmount({ currency: currency('EUR'), minor: 2_500_000_005 })).to.equal('EUR 25,000,000.05')
    expect(showAmount({ currency: currency('JPY'), minor: -1_234 })).to.equal('JPY -1,234')
    expect(showMinor(currency('KWD'), 5)).to.equal('0.005')
    expect(() => currency('euro')).to.throw(RangeError)
  })
})

describe('day counts', () => {
  const count = (dayCount: DayCount, from: string, to: string): string => {
    const { days, fraction } = accrued(dayCount, day(from), day(to))
    return `${days} ${fraction.numerator}/${fraction.denominator}`
  }
  const cases: readonly [DayCount, string, string, string][] = [
    ['30/360 US', '2016-03-11', '2016-09-12', '181 181/360'],
    ['30/360 US', '2007-01-31', '2007-02-28', '28 28/360'],
    ['30/360 US', '2007-01-15', '2007-01-31', '16 16/360'],
    ['30/360 US', '2007-01-30', '2007-03-31', '60 60/360'],
    ['30/360 US', '2007-02-28', '2007-03-31', '30 30/360'],
    ['30/360 US', '2007-02-28', '2008-02-29', '360 360/360'],
    ['30/360 US', '2008-02-28', '2008-03-31', '33 33/360'],
    ['30E/360', '2007-01-15', '2007-01-31', '15 15/360'],
    ['30E/360', '2007-02-28', '2007-03-31', '32 32/360'],
    ['30E/360', '2007-01-31', '2007-02-28', '28 28/360'],
    ['30E/360', '2008-02-29', '2008-03-31', '31 31/360'],
    ['Act/360', '2016-02-28', '2016-03-01', '2 2/360'],
    ['Act/365F', '2016-01-01', '2017-01-01', '366 366/365'],
    // The example of the ISDA paper of 1998: 61 days in 2003 and 121 in 2004.
    ['Act/Act ISDA', '2003-11-01', '2004-05-01', `182 ${61 * 366 + 121 * 365}/${365 * 366}`],
    ['Act/Act ISDA', '2016-01-01', '2017-01-01', `366 ${366 * 365}/${365 * 366}`],
    ['Act/Act ISDA', '2015-01-01', '2018-01-01', `1096 ${366 * 365 + 730 * 366}/${365 * 366}`],
  ]
  for (const [dayCount, from, to, expected] of cases) {
    it(`${dayCount} from ${from} to ${to} is ${expected}`, () => {
      expect(count(dayCount, from, to)).to.equal(expected)
    })
  }

  it('by actual days add up, wherever a span is cut', () => {
    const days = fc.integer({ min: 0, max: 8_000 }).map((count_) => addDays(day('2004-01-01'), count_))
    fc.assert(
      fc.property(
        fc.tuple(days, days, days).map((dates) => dates.sort()),
        fc.constantFrom<DayCount>('Act/360', 'Act/365F', 'Act/Act ISDA'),
        ([first, middle, last], dayCount) => {
          const part = (from: typeof first, to: typeof first) => accrued(dayCount, from, to).fraction.numerator
          expect(part(first, middle) + part(middle, last)).to.equal(part(first, last))
          expect(accrued(dayCount, first, last).days).to.equal(daysBetween(first, last))
        },
      ),
    )
  })
})

describe('flows', () => {
  it('are rounded as the trade declares, and in no other place', () => {
    const half = factorOf(plainRounding, { numerator: 181, denominator: 360 })
    expect(half).to.equal('181/360')
    expect(factorOf(twiceRounded, { numerator: 181, denominator: 360 })).to.equal('0.5028')
    // 0.24445 is half way to eight places, and half up from there to four.
    expect(factorOf(twiceRounded, { numerator: 24_445, denominator: 100_000 })).to.equal('0.2445')
    expect(factorOf(twiceRounded, { numerator: 180, denominator: 360 })).to.equal('0.5000')
    expect(flowOf(10_000, rate('0.05'), '1/1', plainRounding)).to.equal(500)
    expect(flowOf(100, rate('0.05'), '1.0000', twiceRounded)).to.equal(5)
  })

  it('round exact halves as halves, though the factor has no end as a decimal', () => {
    // 18,000 at 1 % for 1/360 of a year is exactly one half; dividing first would leave a little less.
    const flow = (mode: RoundingMode, sign = ''): number =>
      flowOf(18_000, rate(`${sign}0.01`), '1/360', { factor: [], flow: mode })
    expect(
      ['half-up', 'half-even', 'down', 'up', 'floor', 'ceiling'].map((mode) => flow(mode as RoundingMode)),
    ).to.deep.equal([1, 0, 0, 1, 0, 1])
    expect(
      ['half-up', 'half-even', 'down', 'up', 'floor', 'ceiling'].map((mode) => flow(mode as RoundingMode, '-')),
    ).to.deep.equal([-1, 0, 0, -1, -1, 0])
  })

  it('may be negative, and never a zero with a sign', () => {
    expect(flowOf(2_500_000_000, rate('-0.0033'), '0.2500', twiceRounded)).to.equal(-2_062_500)
    expect(Object.is(flowOf(1, rate('-0.01'), '1/360', twiceRounded), 0)).to.be.true
  })

  it('are refused when they are more than can be counted', () => {
    expect(() => flowOf(Number.MAX_SAFE_INTEGER, rate('1000'), '1/1', plainRounding)).to.throw(RangeError)
  })
})
