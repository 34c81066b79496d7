/**
 * An amount of money: whole minor units of a currency, never a fraction. Negative amounts are allowed, since a
 * negative rate turns a payment round.
 */
import { IntegerC } from 'carillon'
import * as t from 'io-ts'

export interface CurrencyBrand {
  readonly Currency: unique symbol
}
/** An ISO 4217 code. */
export const CurrencyC = t.brand(
  t.string,
  (text): text is t.Branded<string, CurrencyBrand> => /^[A-Z]{3}$/.test(text),
  'Currency',
)
export type Currency = t.TypeOf<typeof CurrencyC>

export const AmountC = t.readonly(t.strict({ currency: CurrencyC, minor: IntegerC }), 'Amount')
export type Amount = t.TypeOf<typeof AmountC>

export const currency = (code: string): Currency => {
  if (CurrencyC.is(code)) return code
  throw new RangeError(`"${code}" is not a currency. Write its ISO 4217 code, such as EUR.`)
}

const decimalsOf = (of: Currency): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency: of }).resolvedOptions().maximumFractionDigits ?? 2

/** An amount given in whole units of a currency, however many minor units those have. */
export const amount = (code: string, units: number): Amount => ({
  currency: currency(code),
  minor: units * 10 ** decimalsOf(currency(code)),
})

/** As people read it: `25,000,000.00`. The digits are never computed with as floating point. */
export const showMinor = (of: Currency, minor: number): string => {
  const decimals = decimalsOf(of)
  const digits = String(Math.abs(minor)).padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ',')
  return `${minor < 0 ? '-' : ''}${whole}${decimals === 0 ? '' : `.${digits.slice(-decimals)}`}`
}

export const showAmount = ({ currency: of, minor }: Amount): string => `${of} ${showMinor(of, minor)}`
