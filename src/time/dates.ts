/**
 * Arithmetic of calendar days. A day has no zone and no hours, so days and months are all there is to count.
 */
import { dateMs, dateOf, dayMs, type LocalDate } from './LocalTime.js'

/** The day so many days later, or earlier when negative. */
export const addDays = (date: LocalDate, days: number): LocalDate => dateOf(dateMs(date) + days * dayMs)

/** Days from one date to a later one; negative when `later` is the earlier. */
export const daysBetween = (earlier: LocalDate, later: LocalDate): number =>
  Math.round((dateMs(later) - dateMs(earlier)) / dayMs)

/** Whether a date is the last of its month. */
export const isEndOfMonth = (date: LocalDate): boolean => addDays(date, 1).endsWith('-01')

/** The last day of a date's month. */
export const endOfMonth = (date: LocalDate): LocalDate => {
  const month = Number(date.slice(5, 7))
  return dateOf(Date.UTC(Number(date.slice(0, 4)), month, 0))
}

/** The same day of another month, or that month's last day where it is shorter. */
export const addMonths = (date: LocalDate, months: number): LocalDate => {
  const index = Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1 + months
  const last = endOfMonth(dateOf(Date.UTC(Math.floor(index / 12), ((index % 12) + 12) % 12, 1)))
  const beyond = Number(date.slice(8)) - Number(last.slice(8))
  return beyond < 0 ? addDays(last, beyond) : last
}
