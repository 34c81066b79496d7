/**
 * What happens next to a swap: a fixing, a payment, a payment that is overdue, or its maturity, whichever comes
 * first. It follows from the state alone. A payment is the flows of both legs that fall on one date, set off
 * against each other.
 */
import { plus, type Instant, type Party } from 'carillon'
import { instantIn, type LocalDate } from 'carillon/calendars'
import type { FloatingPeriod, Overdue } from '../schedule.js'
import type { SwapData } from './SwapKind.js'

/** A payment that is known to the last cent. */
export type Payment = {
  readonly date: LocalDate
  /** In minor units, from the fixed rate payer to the other; negative when it goes the other way. */
  readonly net: number
  readonly payer: Party
  readonly payee: Party
}

/** What the legs owe on each date, in the order of the dates; undefined while a rate is not fixed. */
const netByDate = ({ calculation: { fixed, floating } }: SwapData): ReadonlyMap<LocalDate, number | undefined> => {
  const sums = new Map<LocalDate, number | undefined>()
  for (const { pays, flow } of fixed) sums.set(pays, (sums.get(pays) ?? 0) + flow)
  for (const { pays, flow } of floating) {
    const sum = sums.has(pays) ? sums.get(pays) : 0
    sums.set(pays, sum === undefined || flow === null ? undefined : sum - flow)
  }
  return new Map([...sums].sort(([a], [b]) => (a < b ? -1 : 1)))
}

const payment = ({ fixed, floating }: SwapData, date: LocalDate, net: number): Payment => ({
  date,
  net,
  payer: net < 0 ? floating.payer : fixed.payer,
  payee: net < 0 ? fixed.payer : floating.payer,
})

/** Every date on which something is paid, in order. */
export const paymentDates = (swap: SwapData): readonly LocalDate[] => [...netByDate(swap).keys()]

/** What is paid on a date; undefined while a rate that it depends on is not fixed. */
export const paymentOn = (swap: SwapData, date: LocalDate): Payment | undefined => {
  const net = netByDate(swap).get(date)
  return net === undefined ? undefined : payment(swap, date, net)
}

/** What can be paid and has not been, in the order of the dates. */
export const unpaid = (swap: SwapData): readonly Payment[] => {
  const paid = new Set(swap.calculation.paid.map(({ date }) => date))
  return [...netByDate(swap)].flatMap(([date, net]) =>
    net === undefined || paid.has(date) ? [] : [payment(swap, date, net)],
  )
}

/** When the payment of a date is due. */
export const paymentInstant = ({ common: { payments } }: SwapData, date: LocalDate): Instant =>
  instantIn(payments.zone, date, payments.time)

export const overdueOn = ({ calculation }: SwapData, date: LocalDate): Overdue | undefined =>
  calculation.overdue.find((entry) => entry.date === date)

/** When a payment was last asked for: when it was due, or when it was chased. */
export const lastAsked = (swap: SwapData, date: LocalDate): Instant =>
  overdueOn(swap, date)?.chaseAt ?? paymentInstant(swap, date)

/** From when on a payment that has not come may be called overdue, once more if it was before. */
export const overdueFrom = (swap: SwapData, date: LocalDate): Instant =>
  plus(lastAsked(swap, date), { milliseconds: swap.common.payments.overdueAfterMs })

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
