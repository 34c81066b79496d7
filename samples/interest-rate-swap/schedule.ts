/**
 * The part of a swap that changes, the schedules of both legs with the fixings made so far and what has been paid,
 * and how the schedules follow from the terms. The same terms give the same schedules wherever they are generated,
 * as long as the holidays are the same; once agreed, the dates stand.
 */
import * as t from 'io-ts'
import { InstantC, IntegerC } from 'carillon'
import {
  addBusinessDays,
  addDays,
  LocalDateC,
  periodsBetween,
  rollDate,
  type LocalDate,
  type Period,
} from 'carillon/calendars'
import { record } from '../shared/record.js'
import { accrued, factorOf, flowOf, RateC, type Rounding } from './money.js'
import type { FixingTerms, Leg, Terms } from './terms/Terms.js'

const periodFields = {
  /** When the flow is paid. */
  pays: LocalDateC,
  /** The first day that earns interest, and the day before which it ends. */
  from: LocalDateC,
  to: LocalDateC,
  days: IntegerC,
  factor: t.string,
}

export const FixedPeriodC = record('FixedPeriod', { ...periodFields, flow: IntegerC })
export type FixedPeriod = t.TypeOf<typeof FixedPeriodC>

/** A period of the floating leg; its rate and its flow are null until it is fixed. */
export const FloatingPeriodC = record('FloatingPeriod', {
  ...periodFields,
  fixes: LocalDateC,
  rate: t.union([t.null, RateC]),
  flow: t.union([t.null, IntegerC]),
})
export type FloatingPeriod = t.TypeOf<typeof FloatingPeriodC>

/** What was paid on a payment date: the flows of both legs set off against each other. */
export const PaidC = record('Paid', {
  date: LocalDateC,
  /** In minor units, from the fixed rate payer to the other; negative when it went the other way. */
  net: IntegerC,
  /** What the payment system knows it by. */
  reference: t.string,
})
export type Paid = t.TypeOf<typeof PaidC>

/** A payment that did not come in time, and when it is asked for again. */
export const OverdueC = record('Overdue', { date: LocalDateC, chased: IntegerC, chaseAt: InstantC })
export type Overdue = t.TypeOf<typeof OverdueC>

export const CalculationC = record('Calculation', {
  /** What a period of the floating leg is worth to its payer, as an expression over the trade. */
  expression: t.string,
  fixed: t.readonlyArray(FixedPeriodC),
  floating: t.readonlyArray(FloatingPeriodC),
  paid: t.readonlyArray(PaidC),
  overdue: t.readonlyArray(OverdueC),
})
export type Calculation = t.TypeOf<typeof CalculationC>

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
