/** Trades unlike the example, against numbers that were reckoned elsewhere and by other means. */
import { expect } from 'chai'
import { localDate, tenor } from 'carillon/calendars'
import { amount, flowOf, plainRounding, rate } from '../money.js'
import { generate } from '../schedule.js'
import type { FixedLeg, Terms } from '../terms/Terms.js'
import { exampleTrade, usualCommon, usualFixing } from '../trades.js'
import { parties } from './parties.js'

const notional = amount('EUR', 10_000_000)
const example = exampleTrade(parties)
const common = { ...usualCommon('other', []), rounding: plainRounding }

const linesOf = (text: string): readonly string[] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim())

/** Ten million on the terms of the example, but for these; a row is: pays, from, to, days, flow. */
const legs: readonly {
  readonly what: string
  readonly leg: Partial<FixedLeg>
  readonly rows: string
}[] = [
  {
    what: 'monthly, at the ends of months, by the days of two years',
    leg: {
      ...{ effective: localDate('2019-10-31'), termination: localDate('2020-04-30'), frequency: 'monthly' },
      ...{ calendar: ['TARGET'], endOfMonth: true, dayCount: 'Act/Act ISDA' },
      ...{ rate: rate('0.0125') },
    },
    rows: `
      2019-11-29 2019-10-31 2019-11-29 29 993151
      2019-12-31 2019-11-29 2019-12-31 32 1095890
      2020-01-31 2019-12-31 2020-01-31 31 1058837
      2020-02-28 2020-01-31 2020-02-28 28 956284
      2020-03-31 2020-02-28 2020-03-31 32 1092896
      2020-04-30 2020-03-31 2020-04-30 30 1024590`,
  },
  {
    what: 'annual, from an end of February, unadjusted',
    leg: {
      ...{ effective: localDate('2015-02-28'), termination: localDate('2019-02-28'), frequency: 'annual' },
      ...{ calendar: ['London'], roll: 'following', endOfMonth: true },
      ...{ dayCount: '30E/360', accrual: 'unadjusted', rate: rate('0.02') },
    },
    rows: `
      2016-02-29 2015-02-28 2016-02-29 361 20055556
      2017-02-28 2016-02-29 2017-02-28 359 19944444
      2018-02-28 2017-02-28 2018-02-28 360 20000000
      2019-02-28 2018-02-28 2019-02-28 360 20000000`,
  },
  {
    what: 'quarterly, the first period short, rolled back in New York, paid two business days later',
    leg: {
      ...{ effective: localDate('2017-01-20'), termination: localDate('2018-03-15'), frequency: 'quarterly' },
      ...{ calendar: ['NewYork'], roll: 'previous', stub: 'short-first' },
      ...{ dayCount: 'Act/365F', paymentDelay: { days: 2, counted: 'business' }, rate: rate('0.0175') },
    },
    rows: `
      2017-03-17 2017-01-20 2017-03-15 54 2589041
      2017-06-19 2017-03-15 2017-06-15 92 4410959
      2017-09-19 2017-06-15 2017-09-15 92 4410959
      2017-12-19 2017-09-15 2017-12-15 91 4363014
      2018-03-19 2017-12-15 2018-03-15 90 4315068`,
  },
  {
    what: 'monthly, the first period long, paid in advance, in two centres',
    leg: {
      ...{ effective: localDate('2020-01-10'), termination: localDate('2020-05-25'), frequency: 'monthly' },
      ...{ calendar: ['London', 'TARGET'], roll: 'modified-previous', stub: 'long-first' },
      ...{
        dayCount: 'Act/360',
        paymentRule: 'in-advance',
        paymentDelay: { days: 1, counted: 'business' },
        rate: rate('0.001'),
      },
    },
    rows: `
      2020-01-13 2020-01-10 2020-02-25 46 127778
      2020-02-26 2020-02-25 2020-03-25 29 80556
      2020-03-26 2020-03-25 2020-04-24 30 83333
      2020-04-27 2020-04-24 2020-05-22 28 77778`,
  },
  {
    what: 'semi-annual, from a leap day, without any roll',
    leg: {
      ...{ effective: localDate('2016-02-29'), termination: localDate('2018-08-31'), frequency: 'semi-annual' },
      ...{ calendar: [], roll: 'none', endOfMonth: true },
      ...{
        stub: 'long-last',
        dayCount: '30/360 US',
        paymentDelay: { days: 3, counted: 'calendar' },
        rate: rate('0.03'),
      },
    },
    rows: `
      2016-09-03 2016-02-29 2016-08-31 180 15000000
      2017-03-03 2016-08-31 2017-02-28 178 14833333
      2017-09-03 2017-02-28 2017-08-31 180 15000000
      2018-03-03 2017-08-31 2018-02-28 178 14833333
      2018-09-03 2018-02-28 2018-08-31 180 15000000`,
  },
]

describe('A leg of another trade', () => {
  for (const { what, leg, rows } of legs)
    it(`is reckoned right: ${what}`, () => {
      const terms: Terms = { ...example, fixed: { ...example.fixed, notional, ...leg }, common }
      const { fixed } = generate(terms)
      expect(fixed.map(({ pays, from, to, days, flow }) => [pays, from, to, days, flow].join(' '))).to.deep.equal(
        linesOf(rows),
      )
    })

  it('is fixed in arrears by the days of another centre, and pays the other way when its rate is negative', () => {
    const leg = {
      effective: localDate('2019-12-17'),
      termination: localDate('2020-12-17'),
      calendar: ['TARGET'] as const,
    }
    const terms: Terms = {
      ...example,
      floating: {
        ...example.floating,
        ...leg,
        notional,
        frequency: 'quarterly',
        dayCount: 'Act/360',
        index: { name: 'EURIBOR', source: 'anywhere', tenor: tenor('3M') },
        fixing: { ...usualFixing(['London']), rule: 'in-arrears', offset: 5 },
      },
      common,
    }
    const negative = rate('-0.0035')
    const { floating } = generate(terms)
    const flows = (factor: string) =>
      (['half-up', 'floor'] as const).map((flow) => flowOf(notional.minor, negative, factor, { factor: [], flow }))
    expect(
      floating.map(({ fixes, pays, from, to, days, factor }) =>
        [fixes, pays, from, to, days, ...flows(factor)].join(' '),
      ),
    ).to.deep.equal(
      linesOf(`
      2020-03-10 2020-03-17 2019-12-17 2020-03-17 91 -884722 -884723
      2020-06-10 2020-06-17 2020-03-17 2020-06-17 92 -894444 -894445
      2020-09-10 2020-09-17 2020-06-17 2020-09-17 92 -894444 -894445
      2020-12-10 2020-12-17 2020-09-17 2020-12-17 91 -884722 -884723`),
    )
  })
})
