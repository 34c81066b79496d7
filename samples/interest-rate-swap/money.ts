/**
 * Money, exactly: amounts in whole minor units, rates as decimals, day counts as fractions, and what a period
 * owes: notional × rate × day count factor. Nothing is divided before everything is multiplied, so the only
 * roundings are those that the trade declares.
 */
import { Decimal } from 'decimal.js'
import * as t from 'io-ts'
import { IntegerC } from 'carillon'
import { addDays, daysBetween, endOfMonth, localDate, type LocalDate } from 'carillon/calendars'
import { record } from '../shared/record.js'

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

/**
 * Whole minor units of a currency, never a fraction. Negative amounts are allowed, since a negative rate turns a
 * payment round.
 */
export const AmountC = record('Amount', { currency: CurrencyC, minor: IntegerC })
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

/** Enough digits that no product of a notional, a rate and a day count is ever cut off before it is rounded. */
export const Exact = Decimal.clone({ precision: 100, toExpNeg: -100, toExpPos: 100 })

export interface RateBrand {
  readonly Rate: unique symbol
}
const pattern = /^(?!-0$)-?(?:0|[1-9]\d{0,9})(?:\.\d{0,29}[1-9])?$/

/**
 * A rate as an exact decimal, kept as text: `0.01676` is 1.676 %. Every rate has one spelling, so equal rates are
 * equal text.
 */
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

/** `half-up` and `half-even` are to the nearest; `down` is towards zero and `up` away from it, `floor` and `ceiling` do not mind the sign. */
export const RoundingModeC = t.keyof(
  { 'half-up': null, 'half-even': null, down: null, up: null, floor: null, ceiling: null },
  'RoundingMode',
)
export type RoundingMode = t.TypeOf<typeof RoundingModeC>

/**
 * How a trade rounds. It is part of its terms: two banks that round differently owe each other different sums, and
 * neither is wrong.
 */
export const RoundingC = record('Rounding', {
  /** The steps in which a day count factor is rounded, one after the other. None: it stays exact. */
  factor: t.readonlyArray(t.readonly(t.strict({ decimals: IntegerC, mode: RoundingModeC }))),
  /** How a flow becomes whole minor units. */
  flow: RoundingModeC,
})
export type Rounding = t.TypeOf<typeof RoundingC>

/** To the nearest minor unit, and nothing before that. */
export const plainRounding: Rounding = { factor: [], flow: 'half-up' }

/** Factors to eight places and then to four, both half up; flows cut off. */
export const twiceRounded: Rounding = {
  factor: [
    { decimals: 8, mode: 'half-up' },
    { decimals: 4, mode: 'half-up' },
  ],
  flow: 'down',
}

const modes: Readonly<Record<RoundingMode, Decimal.Rounding>> = {
  'half-up': Decimal.ROUND_HALF_UP,
  'half-even': Decimal.ROUND_HALF_EVEN,
  down: Decimal.ROUND_DOWN,
  up: Decimal.ROUND_UP,
  floor: Decimal.ROUND_FLOOR,
  ceiling: Decimal.ROUND_CEIL,
}

export const round = (value: Decimal, decimals: number, mode: RoundingMode): Decimal =>
  value.toDecimalPlaces(decimals, modes[mode])

/**
 * - `30/360 US`: months of 30 days, with the American rules for the 31st and the end of February.
 * - `30E/360`: months of 30 days, the European way: the 31st is the 30th.
 * - `Act/360`, `Act/365F`: the days there are, over a year of fixed length.
 * - `Act/Act ISDA`: the days there are, over 366 where they lie in a leap year and over 365 elsewhere.
 */
export const DayCountC = t.keyof(
  { '30/360 US': null, '30E/360': null, 'Act/360': null, 'Act/365F': null, 'Act/Act ISDA': null },
  'DayCount',
)
export type DayCount = t.TypeOf<typeof DayCountC>

/** A fraction of a year, exactly. */
export type Fraction = { readonly numerator: number; readonly denominator: number }

type Parts = { readonly year: number; readonly month: number; readonly day: number }

const partsOf = (date: LocalDate): Parts => ({
  year: Number(date.slice(0, 4)),
  month: Number(date.slice(5, 7)),
  day: Number(date.slice(8)),
})

const isEndOfFebruary = (date: LocalDate): boolean => date.slice(5, 7) === '02' && date === endOfMonth(date)

const days360 = (from: Parts, to: Parts): number =>
  360 * (to.year - from.year) + 30 * (to.month - from.month) + (to.day - from.day)

const days360American = (from: LocalDate, to: LocalDate): number => {
  const start = partsOf(from)
  const end = partsOf(to)
  const startDay = isEndOfFebruary(from) || start.day === 31 ? 30 : start.day
  const isLate = end.day === 31 && startDay === 30
  const endDay = isLate || (isEndOfFebruary(from) && isEndOfFebruary(to)) ? 30 : end.day
  return days360({ ...start, day: startDay }, { ...end, day: endDay })
}

const days360European = (from: LocalDate, to: LocalDate): number => {
  const capped = (date: LocalDate): Parts => ({ ...partsOf(date), day: Math.min(30, partsOf(date).day) })
  return days360(capped(from), capped(to))
}

const isLeap = (year: number): boolean => endOfMonth(localDate(`${String(year).padStart(4, '0')}-02-01`)).endsWith('29')

/** Of the days from one date until before another, those that lie in leap years. */
const leapDays = (from: LocalDate, to: LocalDate): number => {
  let days = 0
  for (let year = partsOf(from).year; year <= partsOf(to).year; year++) {
    if (!isLeap(year)) continue
    const first = localDate(`${year}-01-01`)
    const next = addDays(first, 366)
    days += Math.max(0, daysBetween(from > first ? from : first, to < next ? to : next))
  }
  return days
}

/** The days by which interest is reckoned from one date until before another, and the fraction of a year they are. */
export const accrued = (
  dayCount: DayCount,
  from: LocalDate,
  to: LocalDate,
): { readonly days: number; readonly fraction: Fraction } => {
  const over = (days: number, denominator: number) => ({ days, fraction: { numerator: days, denominator } })
  switch (dayCount) {
    case '30/360 US':
      return over(days360American(from, to), 360)
    case '30E/360':
      return over(days360European(from, to), 360)
    case 'Act/360':
      return over(daysBetween(from, to), 360)
    case 'Act/365F':
      return over(daysBetween(from, to), 365)
    case 'Act/Act ISDA': {
      const days = daysBetween(from, to)
      const inLeapYears = leapDays(from, to)
      return { days, fraction: { numerator: inLeapYears * 365 + (days - inLeapYears) * 366, denominator: 365 * 366 } }
    }
  }
}

/** The day count factor as it stands in a schedule: rounded, such as `0.5028`, or exact, such as `181/360`. */
export const factorOf = ({ factor: steps }: Rounding, { numerator, denominator }: Fraction): string => {
  const last = steps.at(-1)
  if (last === undefined) return `${numerator}/${denominator}`
  const exact = new Exact(numerator).div(denominator)
  return steps.reduce((value, { decimals, mode }) => round(value, decimals, mode), exact).toFixed(last.decimals)
}

/** The flow of a period in minor units; negative when the rate is. */
export const flowOf = (notionalMinor: number, rate: Rate, factor: string, { flow }: Rounding): number => {
  const [numerator = '0', denominator = '1'] = factor.split('/')
  const product: Decimal = new Exact(notionalMinor).times(rate).times(numerator)
  const minor = round(product.div(denominator), 0, flow).toNumber()
  // What is cut off from a small negative amount leaves a zero without a sign.
  const whole = minor === 0 ? 0 : minor
  if (IntegerC.is(whole)) return whole
  throw new RangeError(`A flow of ${String(minor)} minor units is more than can be counted exactly.`)
}
