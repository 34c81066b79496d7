/**
 * Day counts: how many days lie between two dates, and which fraction of a year they are. The fraction is exact, a
 * numerator over a denominator; rounding it is the trade's own policy.
 */
import { addDays, daysBetween, endOfMonth, localDate, type LocalDate } from 'carillon/calendars'
import * as t from 'io-ts'

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
