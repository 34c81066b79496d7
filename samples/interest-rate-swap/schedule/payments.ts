/**
 * Payments: the flows of both legs that fall on one date, set off against each other. One bank pays the difference.
 */
import { instantIn, plus, type Instant, type LocalDate, type Party } from 'carillon'
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

/** Every date on which something is paid, in order. */
export const paymentDates = ({ calculation: { fixed, floating } }: SwapData): readonly LocalDate[] =>
  [...new Set([...fixed, ...floating].map(({ pays }) => pays))].sort()

/** What is paid on a date; undefined while a rate that it depends on is not fixed. */
export const paymentOn = (swap: SwapData, date: LocalDate): Payment | undefined => {
  const { fixed, floating } = swap.calculation
  let net = 0
  for (const row of fixed) if (row.pays === date) net += row.flow
  for (const row of floating) {
    if (row.pays !== date) continue
    if (row.flow === null) return undefined
    net -= row.flow
  }
  const [payer, payee] = net < 0 ? [swap.floating.payer, swap.fixed.payer] : [swap.fixed.payer, swap.floating.payer]
  return { date, net, payer, payee }
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
