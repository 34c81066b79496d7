/**
 * How often something recurs within a year, as contracts say it.
 */
import * as t from 'io-ts'
import { addDays, addMonths, endOfMonth, isEndOfMonth } from '../dates.js'
import type { LocalDate } from '../LocalTime.js'

/** Codec of a frequency. */
export const FrequencyC = t.keyof(
  {
    annual: null,
    'semi-annual': null,
    quarterly: null,
    monthly: null,
    biweekly: null,
    weekly: null,
    daily: null,
  },
  'Frequency',
)
/** How often something recurs: from once a year to every day. */
export type Frequency = t.TypeOf<typeof FrequencyC>

const months: Readonly<Partial<Record<Frequency, number>>> = {
  annual: 12,
  'semi-annual': 6,
  quarterly: 3,
  monthly: 1,
}
const days: Readonly<Partial<Record<Frequency, number>>> = { biweekly: 14, weekly: 7, daily: 1 }

/**
 * The date so many periods after another, or before it when negative, reckoned in one go: a day of the month that a
 * short month lacks is back in the next. With `endOfMonth`, from the last day of a month always to the last.
 */
export const addPeriods = (
  date: LocalDate,
  frequency: Frequency,
  count: number,
  options: { readonly endOfMonth?: boolean } = {},
): LocalDate => {
  const monthsEach = months[frequency]
  if (monthsEach === undefined) return addDays(date, count * (days[frequency] ?? 1))
  const moved = addMonths(date, count * monthsEach)
  return options.endOfMonth === true && isEndOfMonth(date) ? endOfMonth(moved) : moved
}
