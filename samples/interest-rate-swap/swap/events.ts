/**
 * What happens next to a swap: a fixing, a payment, a payment that is overdue, or its maturity, whichever comes
 * first. It follows from the state alone.
 */
import type { Instant } from 'carillon'
import { instantIn } from 'carillon/calendars'
import { overdueOn, paymentDates, paymentInstant, unpaid, type Payment } from '../schedule/payments.js'
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

/** Every payment that is chased, and the first of the others: all are due at the same time of day. */
const paymentEvents = (swap: SwapData): readonly SwapEvent[] => {
  const chased: SwapEvent[] = []
  let first: Payment | undefined
  for (const payment of unpaid(swap)) {
    const overdue = overdueOn(swap, payment.date)
    if (overdue === undefined) first ??= payment
    else chased.push({ kind: 'overdue', at: overdue.chaseAt, payment })
  }
  return first === undefined
    ? chased
    : [...chased, { kind: 'payment', at: paymentInstant(swap, first.date), payment: first }]
}

/** When the swap ends: with its last payment, and not before its termination date. */
export const maturityInstant = (swap: SwapData): Instant => {
  const lastPayment = paymentDates(swap).at(-1)
  const { termination } = swap.fixed
  return paymentInstant(swap, lastPayment === undefined || lastPayment < termination ? termination : lastPayment)
}

/** The earliest of what is still due. There always is something, until the swap has matured and is no more. */
export const nextEvent = (swap: SwapData): SwapEvent => {
  const period = nextUnfixed(swap)
  const fixing: readonly SwapEvent[] =
    period === undefined ? [] : [{ kind: 'fixing', at: fixingInstant(swap, period), period }]
  const [first, ...others] = [...fixing, ...paymentEvents(swap)]
  if (first === undefined) return { kind: 'maturity', at: maturityInstant(swap) }
  return others.reduce((earliest, event) => (event.at < earliest.at ? event : earliest), first)
}
