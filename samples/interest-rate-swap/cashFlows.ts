/**
 * The cash flows of a swap as people read them, one row for each payment date; what is not known yet is empty.
 */
import type { LocalDate } from 'carillon/calendars'
import { showMinor, showPercent } from './money.js'
import { overdueOn, paymentOn } from './swap/events.js'
import type { SwapData } from './swap/SwapKind.js'

export type CashFlow = {
  readonly date: LocalDate
  readonly fixes: string
  readonly rate: string
  readonly floating: string
  readonly fixed: string
  readonly net: string
  readonly payer: string
  readonly is: 'paid' | 'overdue' | 'due' | 'not fixed'
}

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** Who pays a net amount. */
export const payerOf = ({ fixed, floating }: SwapData, net: number): string => (net < 0 ? floating : fixed).payer.name

export const cashFlowOn = (swap: SwapData, date: LocalDate): CashFlow => {
  const { calculation } = swap
  const show = (minor: number): string => showMinor(swap.fixed.notional.currency, minor)
  const periods = calculation.floating.filter(({ pays }) => pays === date)
  const flows = periods.flatMap(({ flow }) => flow ?? [])
  const fixed = calculation.fixed.filter(({ pays }) => pays === date).map(({ flow }) => flow)
  const paid = calculation.paid.find((entry) => entry.date === date)
  const net = paid?.net ?? paymentOn(swap, date)?.net
  return {
    date,
    fixes: periods.map(({ fixes }) => fixes).join(' '),
    rate: periods.map(({ rate }) => (rate === null ? '…' : showPercent(rate))).join(' '),
    floating: flows.length === 0 ? '' : show(sum(flows)),
    fixed: fixed.length === 0 ? '' : show(sum(fixed)),
    net: net === undefined ? '' : show(Math.abs(net)),
    payer: net === undefined ? '' : payerOf(swap, net),
    is:
      paid !== undefined
        ? 'paid'
        : overdueOn(swap, date) !== undefined
          ? 'overdue'
          : net === undefined
            ? 'not fixed'
            : 'due',
  }
}
