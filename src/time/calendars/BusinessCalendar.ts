/**
 * The business days of one or several financial centres: every weekday on which none of them is closed. A union
 * is what a contract between two centres settles by.
 */
import * as t from 'io-ts'
import { CarillonError } from '../../errors/CarillonError.js'
import { addDays } from '../dates.js'
import { dayMs, dateMs, type LocalDate } from '../LocalTime.js'
import { firstYear, holidays, lastYear } from './holidays.js'

/** London (banks of England), New York (the Federal Reserve) and TARGET (the euro). */
export const CentreC = t.keyof({ London: null, NewYork: null, TARGET: null }, 'Centre')
/** A financial centre with holidays of its own. */
export type Centre = t.TypeOf<typeof CentreC>

/** The centres whose holidays count; with none of them every weekday is a business day. */
export const BusinessCalendarC = t.readonlyArray(CentreC, 'BusinessCalendar')
/** The centres whose holidays count. */
export type BusinessCalendar = t.TypeOf<typeof BusinessCalendarC>

const closedDays = (centre: Centre): ReadonlySet<string> =>
  new Set(
    holidays[centre].flatMap((days, index) =>
      days
        .split(' ')
        .filter((day) => day !== '')
        .map((day) => `${firstYear + index}-${day.slice(0, 2)}-${day.slice(2)}`),
    ),
  )

const closed: Readonly<Record<Centre, ReadonlySet<string>>> = {
  London: closedDays('London'),
  NewYork: closedDays('NewYork'),
  TARGET: closedDays('TARGET'),
}

/** 1970-01-01 was a Thursday. */
const isWeekend = (date: LocalDate): boolean => ((Math.floor(dateMs(date) / dayMs) + 4) % 7) % 6 === 0

/** The union of calendars: a business day is one in all of them. */
export const unionOf = (...calendars: readonly BusinessCalendar[]): BusinessCalendar => [...new Set(calendars.flat())]

/** Whether every centre of the calendar is open for business on a day. */
export const isBusinessDay = (calendar: BusinessCalendar, date: LocalDate): boolean => {
  const year = Number(date.slice(0, 4))
  if (calendar.length > 0 && (year < firstYear || year > lastYear))
    throw new CarillonError(
      'calendar-out-of-range',
      `${date} lies outside the years ${firstYear} to ${lastYear}, for which the holidays of ${calendar.join(' and ')} are known.`,
      { date },
    )
  return !isWeekend(date) && !calendar.some((centre) => closed[centre].has(date))
}

const walk = (calendar: BusinessCalendar, date: LocalDate, days: 1 | -1): LocalDate => {
  let here = date
  while (!isBusinessDay(calendar, here)) here = addDays(here, days)
  return here
}

/**
 * How a date that is no business day moves: to the `following` one, to the `previous` one, either of them but never
 * out of the month (`modified-…`, which then turns back), or not at all (`none`).
 */
export const RollC = t.keyof(
  { following: null, 'modified-following': null, previous: null, 'modified-previous': null, none: null },
  'Roll',
)
/** What becomes of a date that is no business day. */
export type Roll = t.TypeOf<typeof RollC>

const sameMonth = (a: LocalDate, b: LocalDate): boolean => a.slice(0, 7) === b.slice(0, 7)

/** A date moved to a business day by a convention. */
export const rollDate = (calendar: BusinessCalendar, roll: Roll, date: LocalDate): LocalDate => {
  if (roll === 'none') return date
  const forwards = roll === 'following' || roll === 'modified-following'
  const moved = walk(calendar, date, forwards ? 1 : -1)
  const staysInMonth = roll === 'modified-following' || roll === 'modified-previous'
  return staysInMonth && !sameMonth(moved, date) ? walk(calendar, date, forwards ? -1 : 1) : moved
}

/**
 * The day so many business days later, or earlier when negative: each business day after the date counts as one. Zero
 * leaves the date as it is, business day or not.
 */
export const addBusinessDays = (calendar: BusinessCalendar, date: LocalDate, days: number): LocalDate => {
  const step = days < 0 ? -1 : 1
  let here = date
  for (let left = Math.abs(days); left > 0; left--) here = walk(calendar, addDays(here, step), step)
  return here
}
