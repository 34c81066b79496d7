/**
 * How long months are. `Date` lets 30 February slide into March, and dates are checked at every boundary, so this is
 * counted by hand.
 */
const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

/** The last day of a month, counted from 1; undefined when there is no such month. */
export const monthLength = (year: number, month: number): number | undefined =>
  month === 2 && isLeap(year) ? 29 : lengths[month - 1]
