/**
 * The schedules that follow from the terms. The same terms give the same schedules wherever they are generated, as
 * long as the holidays are the same; once agreed, the dates stand, whatever becomes of the holidays.
 */
import { addBusinessDays, addDays, periodsBetween, rollDate, type LocalDate, type Period } from 'carillon/calendars'
import { accrued } from '../money/DayCount.js'
import { factorOf, flowOf } from '../money/flow.js'
import type { Rounding } from '../money/Rounding.js'
import type { FixingTerms, Leg } from '../terms/Leg.js'
import type { Terms } from '../terms/Terms.js'
import type { Calculation, FixedPeriod, FloatingPeriod } from './Calculation.js'

/** The periods in which a leg earns interest. */
const periodsOf = (leg: Leg): readonly Period[] =>
  periodsBetween({
    from: leg.effective,
    until: leg.termination,
    frequency: leg.frequency,
    calendar: leg.calendar,
    roll: leg.accrual === 'adjusted' ? leg.roll : 'none',
    endOfMonth: leg.endOfMonth,
    stub: leg.stub,
  })

const paymentDate = (leg: Leg, { from, to }: Period): LocalDate => {
  const { days, counted } = leg.paymentDelay
  // The effective date was agreed and is not rolled, nor is a date that was rolled before moved by this.
  const due = leg.paymentRule === 'in-advance' ? from : rollDate(leg.calendar, leg.roll, to)
  return counted === 'business' ? addBusinessDays(leg.calendar, due, days) : addDays(due, days)
}

const fixingDate = ({ rule, offset, calendar, roll }: FixingTerms, { from, to }: Period): LocalDate =>
  rollDate(calendar, roll, addBusinessDays(calendar, rule === 'in-advance' ? from : to, -offset))

/** A period with the days that count in it. */
const reckon = (leg: Leg, rounding: Rounding, period: Period): Omit<FixedPeriod, 'flow'> => {
  const { days, fraction } = accrued(leg.dayCount, period.from, period.to)
  return {
    pays: paymentDate(leg, period),
    from: period.from,
    to: period.to,
    days,
    factor: factorOf(rounding, fraction),
  }
}

const fixedPeriods = ({ fixed, common: { rounding } }: Terms): readonly FixedPeriod[] =>
  periodsOf(fixed).map((period) => {
    const row = reckon(fixed, rounding, period)
    return { ...row, flow: flowOf(fixed.notional.minor, fixed.rate, row.factor, rounding) }
  })

const floatingPeriods = ({ floating, common: { rounding } }: Terms): readonly FloatingPeriod[] =>
  periodsOf(floating).map((period) => ({
    ...reckon(floating, rounding, period),
    fixes: fixingDate(floating.fixing, period),
    rate: null,
    flow: null,
  }))

/** What the expression of every trade says: the fixed rate on the notional less the floating rate on it. */
export const netExpression = 'notional.minor * fixed.rate - notional.minor * floating.rate'

/** The schedules of a trade on which nothing has been fixed or paid yet. */
export const generate = (terms: Terms, expression = netExpression): Calculation => ({
  expression,
  fixed: fixedPeriods(terms),
  floating: floatingPeriods(terms),
  paid: [],
  overdue: [],
})
