/**
 * The part of a swap that changes: the schedules of both legs with the fixings made so far, and what has been paid.
 * Rows are in the order of their periods.
 */
import { InstantC, IntegerC } from 'carillon'
import { LocalDateC } from 'carillon/calendars'
import * as t from 'io-ts'
import { RateC } from '../money/Rate.js'

const periodFields = {
  /** When the flow is paid. */
  pays: LocalDateC,
  /** The first day that earns interest, and the day before which it ends. */
  from: LocalDateC,
  to: LocalDateC,
  days: IntegerC,
  factor: t.string,
}

export const FixedPeriodC = t.readonly(t.strict({ ...periodFields, flow: IntegerC }), 'FixedPeriod')
export type FixedPeriod = t.TypeOf<typeof FixedPeriodC>

/** A period of the floating leg; its rate and its flow are null until it is fixed. */
export const FloatingPeriodC = t.readonly(
  t.strict({
    ...periodFields,
    fixes: LocalDateC,
    rate: t.union([t.null, RateC]),
    flow: t.union([t.null, IntegerC]),
  }),
  'FloatingPeriod',
)
export type FloatingPeriod = t.TypeOf<typeof FloatingPeriodC>

/** What was paid on a payment date: the flows of both legs set off against each other. */
export const PaidC = t.readonly(
  t.strict({
    date: LocalDateC,
    /** In minor units, from the fixed rate payer to the other; negative when it went the other way. */
    net: IntegerC,
    /** What the payment system knows it by. */
    reference: t.string,
  }),
  'Paid',
)
export type Paid = t.TypeOf<typeof PaidC>

/** A payment that did not come in time, and when it is asked for again. */
export const OverdueC = t.readonly(t.strict({ date: LocalDateC, chased: IntegerC, chaseAt: InstantC }), 'Overdue')
export type Overdue = t.TypeOf<typeof OverdueC>

export const CalculationC = t.readonly(
  t.strict({
    /** What a period of the floating leg is worth to its payer, as an expression over the trade. */
    expression: t.string,
    fixed: t.readonlyArray(FixedPeriodC),
    floating: t.readonlyArray(FloatingPeriodC),
    paid: t.readonlyArray(PaidC),
    overdue: t.readonlyArray(OverdueC),
  }),
  'Calculation',
)
export type Calculation = t.TypeOf<typeof CalculationC>
