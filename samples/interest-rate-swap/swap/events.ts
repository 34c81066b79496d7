/**
 * What happens next to a swap: a fixing, a payment, a payment that is overdue, or its maturity, whichever comes
 * first. It follows from the state alone.
 */
import { instantIn, type Instant, type LocalDate } from 'carillon'
import { paymentDates, paymentInstant, paymentOn, overdueOn, type Payment } from '../schedule/payments.js'
import type { FloatingPeriod } from '../schedule/Calculation.js'
import type { SwapData } from './SwapKind.js'

export type SwapEvent =
  | { readonly kind: 'fixing'; readonly at: Instant; readonly period: FloatingPeriod }
  | { readonly kind: 'payment'; readonly at: Instant; readonly payment: Payment }
  | { readonly kind: 'overdue'; readonly at: Instant; readonly payment: Payment }
  | { readonly kind: 'maturity'; readonly at: Instant }

/** The first period of the floating leg whose rate is not fixed yet. */
export const nextUnfixed = ({ calculation }: SwapData): FloatingPeriod | undefined =>
  calculation.floating.find(({ rate }) => rate === null)

/** When the rate of a period is fixed: a time of day where the index is published. */
export const fixingInstant = ({ floating: { fixing } }: SwapData, { fixes }: FloatingPeriod): Instant =>
  instantIn(fixing.zone, fixes, fixing.time)

const unpaidDates = (swap: SwapData): readonly LocalDate[] => {
  const paid = new Set(swap.calculation.paid.map(({ date }) => date))
  return paymentDates(swap).filter((date) => !paid.has(date))
}

const paymentEvent = (swap: SwapData, date: LocalDate): SwapEvent | undefined => {
  const payment = paymentOn(swap, date)
  if (payment === undefined) return undefined
  const overdue = overdueOn(swap, date)
  return overdue === undefined
    ? { kind: 'payment', at: paymentInstant(swap, date), payment }
    : { kind: 'overdue', at: overdue.chaseAt, payment }
}

/** When the swap ends: with its last payment, and not before its termination date. */
export const maturityInstant = (swap: SwapData): Instant => {
  const lastPayment = paymentDates(swap).at(-1)
  const { termination } = swap.fixed
  return paymentInstant(swap, lastPayment === undefined || lastPayment < termination ? termination : lastPayment)
}

const earlier = (first: SwapEvent | undefined, second: SwapEvent | undefined): SwapEvent | undefined => {
  if (first === undefined) return second
  return second === undefined || first.at <= second.at ? first : second
}

/** The earliest of what is still due. There always is something, until the swap has matured and is no more. */
export const nextEvent = (swap: SwapData): SwapEvent => {
  const period = nextUnfixed(swap)
  const fixing: SwapEvent | undefined =
    period === undefined ? undefined : { kind: 'fixing', at: fixingInstant(swap, period), period }
  const payments = unpaidDates(swap).map((date) => paymentEvent(swap, date))
  return payments.reduce(earlier, fixing) ?? { kind: 'maturity', at: maturityInstant(swap) }
}
