/**
 * A rate as an exact decimal, kept as text: `0.01676` is 1.676 %. Every rate has one spelling, so equal rates are
 * equal text, and `0.50` is written `0.5`.
 */
import { Decimal } from 'decimal.js'
import * as t from 'io-ts'

/** Enough digits that no product of a notional, a rate and a day count is ever cut off before it is rounded. */
export const Exact = Decimal.clone({ precision: 100, toExpNeg: -100, toExpPos: 100 })

export interface RateBrand {
  readonly Rate: unique symbol
}
const pattern = /^(?!-0$)-?(?:0|[1-9]\d{0,9})(?:\.\d{0,29}[1-9])?$/

export const RateC = t.brand(t.string, (text): text is t.Branded<string, RateBrand> => pattern.test(text), 'Rate')
export type Rate = t.TypeOf<typeof RateC>

/** A rate from any spelling of a decimal, such as `0.0063500` or `-0.001`. */
export const rate = (value: string | Decimal): Rate => {
  const text = /^-?\d+(\.\d+)?$/.test(value.toString()) ? new Exact(value).toString() : ''
  if (RateC.is(text)) return text
  throw new RangeError(`"${value.toString()}" is not a rate. Write it as a decimal, such as 0.01676 for 1.676 %.`)
}

/** A rate given in percent. */
export const percent = (value: string): Rate => rate(new Exact(value).div(100))

/** As people read it: `1.676 %`. */
export const showPercent = (value: Rate): string => `${new Exact(value).times(100).toString()} %`
