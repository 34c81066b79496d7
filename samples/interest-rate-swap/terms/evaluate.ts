/**
 * What an expression of a trade comes to on a day.
 */
import type { LocalDate } from 'carillon/calendars'
import { Exact } from '../money/Rate.js'
import type { SwapData } from '../swap/SwapKind.js'
import { parseExpression, type Scope, type Value } from './expression.js'

/** What an expression can speak of: the notional, both rates as they are on the day, and cash collateral. */
const scopeOf = ({ fixed, calculation, common }: SwapData, day: LocalDate): Scope => {
  const period = calculation.floating.find(({ from, to }) => from <= day && day < to)
  return {
    notional: { currency: fixed.notional.currency, minor: new Exact(fixed.notional.minor) },
    fixed: { rate: new Exact(fixed.rate) },
    floating: { rate: new Exact(period?.rate ?? 0) },
    collateral: {
      currency: common.creditSupport.eligibleCurrency,
      minor: new Exact(common.creditSupport.independentAmount.minor),
      spread: new Exact(common.creditSupport.interest.spread),
    },
  }
}

export const evaluate = (expression: string, swap: SwapData, day: LocalDate): Value =>
  parseExpression(expression)(scopeOf(swap, day))
