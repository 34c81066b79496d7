/** Trades of every kind, for laws that must hold for all of them. */
import {
  addDays,
  localDate,
  tenor,
  type BusinessCalendar,
  type Frequency,
  type Roll,
  type Stub,
} from 'carillon/calendars'
import fc from 'fast-check'
import { amount, Exact, plainRounding, rate, twiceRounded, type DayCount, type Rounding } from '../money.js'
import type { Terms } from '../terms/Terms.js'
import { usualTrade, type Parties } from '../trades.js'

const calendars = fc.subarray(['London', 'NewYork', 'TARGET'] as const).map((centres): BusinessCalendar => centres)

const legs = fc.record({
  frequency: fc.constantFrom<Frequency>('annual', 'semi-annual', 'quarterly', 'monthly', 'biweekly', 'weekly'),
  calendar: calendars,
  roll: fc.constantFrom<Roll>('following', 'modified-following', 'previous', 'modified-previous', 'none'),
  endOfMonth: fc.boolean(),
  stub: fc.constantFrom<Stub>('short-last', 'long-last', 'short-first', 'long-first'),
  dayCount: fc.constantFrom<DayCount>('30/360 US', '30E/360', 'Act/360', 'Act/365F', 'Act/Act ISDA'),
  accrual: fc.constantFrom('adjusted' as const, 'unadjusted' as const),
  paymentDelay: fc.record({
    days: fc.integer({ min: 0, max: 5 }),
    counted: fc.constantFrom('calendar' as const, 'business' as const),
  }),
})

const roundings = fc.constantFrom<Rounding>(plainRounding, twiceRounded, { factor: [], flow: 'half-even' })

/** Any trade of these parties that two banks could agree on. */
export const arbitraryTrade = (parties: Parties): fc.Arbitrary<Terms> =>
  fc
    .record({
      fixed: legs,
      floating: legs,
      begins: fc.integer({ min: 0, max: 5_000 }),
      days: fc.integer({ min: 60, max: 1_500 }),
      units: fc.integer({ min: 1, max: 1_000_000_000 }),
      basisPoints: fc.integer({ min: 1, max: 2_000 }),
      offset: fc.integer({ min: 0, max: 5 }),
      fixingCalendar: calendars,
      rounding: roundings,
    })
    .map(({ fixed, floating, begins, days, units, basisPoints, offset, fixingCalendar, rounding }) => {
      const effective = addDays(localDate('2010-01-01'), begins)
      const usual = usualTrade(parties, {
        ...{ tradeId: 'any', notional: amount('EUR', units), from: effective, until: addDays(effective, days) },
        rate: rate(new Exact(basisPoints).div(10_000)),
        index: { name: 'ICE LIBOR', source: 'anywhere', tenor: tenor('3M') },
        calendars: [[], fixingCalendar],
      })
      return {
        ...usual,
        fixed: { ...usual.fixed, ...fixed },
        floating: { ...usual.floating, ...floating, fixing: { ...usual.floating.fixing, offset, roll: 'previous' } },
        common: { ...usual.common, rounding },
      }
    })
