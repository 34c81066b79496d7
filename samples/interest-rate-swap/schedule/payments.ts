/**
 * Payments: the flows of both legs that fall on one date, set off against each other. One bank pays the difference.
 */
import { plus, type Instant, type Party } from 'carillon'
import { instantIn, type LocalDate } from 'carillon/calendars'
import type { SwapData } from '../swap/SwapKind.js'
import type { Overdue } from './Calculation.js'

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
