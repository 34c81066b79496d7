/** The table of closed days against the laws themselves, worked out again without the library that made the table. */
import { expect } from 'chai'
import { addDays, daysBetween, endOfMonth } from '../dates.js'
import { localDate, type LocalDate } from '../LocalTime.js'
import { isBusinessDay, type Centre } from './BusinessCalendar.js'

const day = (year: number, month: number, date: number): LocalDate =>
  localDate(`${year}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`)

/** 0 is Sunday; 1970-01-04 was one. */
const weekday = (date: LocalDate): number => ((daysBetween(localDate('1970-01-04'), date) % 7) + 7) % 7
const isWeekend = (date: LocalDate): boolean => weekday(date) % 6 === 0

/** The nth of a weekday in a month; the last one when n is 0. */
const nth = (n: number, of: number, year: number, month: number): LocalDate => {
  if (n === 0) {
    const last = endOfMonth(day(year, month, 1))
    return addDays(last, -((weekday(last) - of + 7) % 7))
  }
  const first = day(year, month, 1)
  return addDays(first, ((of - weekday(first) + 7) % 7) + 7 * (n - 1))
}

/** Easter Sunday by the anonymous Gregorian algorithm. */
const easter = (year: number): LocalDate => {
  const a = year % 19
  const b = Math.floor(year / 100)
  const c = year % 100
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7
  const n = h + l - 7 * Math.floor((a + 11 * h + 22 * l) / 451) + 114
  return day(year, Math.floor(n / 31), (n % 31) + 1)
}

const next = (date: LocalDate, isFree: (date: LocalDate) => boolean): LocalDate => {
  let here = date
  while (!isFree(here)) here = addDays(here, 1)
  return here
}

/** Banking and Financial Dealings Act 1971 and the proclamations since 2000. */
const london = (year: number): readonly LocalDate[] => {
  const newYear = next(day(year, 1, 1), (date) => !isWeekend(date))
  const christmas = day(year, 12, 25)
  const boxing = day(year, 12, 26)
  // Each of the two that falls on a weekend is made up for on the next day that is neither a weekend nor the other.
  const boxingAt = isWeekend(boxing) ? undefined : boxing
  const christmasAt = next(christmas, (date) => !isWeekend(date) && date !== boxingAt)
  const closed = [
    newYear,
    addDays(easter(year), -2),
    addDays(easter(year), 1),
    { 2020: day(2020, 5, 8) }[year] ?? nth(1, 1, year, 5),
    { 2002: day(2002, 6, 4), 2012: day(2012, 6, 4), 2022: day(2022, 6, 2) }[year] ?? nth(0, 1, year, 5),
    nth(0, 1, year, 8),
    christmasAt,
    boxingAt ?? next(boxing, (date) => !isWeekend(date) && date !== christmasAt),
  ]
  const proclaimed = ['2002-06-03', '2011-04-29', '2012-06-05', '2022-06-03', '2022-09-19', '2023-05-08'].map(localDate)
  return [...closed, ...proclaimed.filter((date) => date.startsWith(String(year)))]
}

/** The Federal Reserve's list: from Sunday to Monday, and not at all when on a Saturday. */
const newYork = (year: number): readonly LocalDate[] => [
  ...[
    day(year, 1, 1),
    ...(year >= 2022 ? [day(year, 6, 19)] : []),
    day(year, 7, 4),
    day(year, 11, 11),
    day(year, 12, 25),
  ]
    .map((date) => (weekday(date) === 0 ? addDays(date, 1) : date))
    .filter((date) => weekday(date) !== 6),
  nth(3, 1, year, 1),
  nth(3, 1, year, 2),
  nth(0, 1, year, 5),
  nth(1, 1, year, 9),
  nth(2, 1, year, 10),
  nth(4, 4, year, 11),
]

/** As the European Central Bank has it since 2002. */
const target = (year: number): readonly LocalDate[] =>
  [
    day(year, 1, 1),
    addDays(easter(year), -2),
    addDays(easter(year), 1),
    day(year, 5, 1),
    day(year, 12, 25),
    day(year, 12, 26),
  ].filter((date) => !isWeekend(date))

const closedIn = (centre: Centre, year: number): readonly LocalDate[] => {
  const days: LocalDate[] = []
  for (let date = day(year, 1, 1); date <= day(year, 12, 31); date = addDays(date, 1))
    if (!isWeekend(date) && !isBusinessDay([centre], date)) days.push(date)
  return days
}

const years = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

describe('the table of holidays', () => {
  it('has the bank holidays of England: moved, substituted and proclaimed ones included, 2000 to 2099', () => {
    for (const year of years(2000, 2099))
      expect(closedIn('London', year), String(year)).to.deep.equal([...london(year)].sort())
  })

  it('has the days on which the Federal Reserve is closed, 2000 to 2099', () => {
    for (const year of years(2000, 2099))
      expect(closedIn('NewYork', year), String(year)).to.deep.equal([...newYork(year)].sort())
  })

  it('has the days on which TARGET is closed, 2002 to 2099', () => {
    for (const year of years(2002, 2099))
      expect(closedIn('TARGET', year), String(year)).to.deep.equal([...target(year)].sort())
  })
})
