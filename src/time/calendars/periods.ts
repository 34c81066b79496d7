/**
 * The periods into which a frequency cuts a span of time. They follow one another without gap or overlap from the
 * first day to the last; each boundary is reckoned from the span's own dates and then rolled, so rolls never add up.
 */
import * as t from 'io-ts'
import type { LocalDate } from '../LocalTime.js'
import { mostOccurrences } from '../recurrence/mostOccurrences.js'
import { refuse } from '../recurrence/refuse.js'
import { rollDate, type BusinessCalendar, type Roll } from './BusinessCalendar.js'
import { addPeriods, type Frequency } from './Frequency.js'

/** Where the odd period goes when the span is no whole number of periods, and whether it is shorter or longer. */
export const StubC = t.keyof({ 'short-last': null, 'long-last': null, 'short-first': null, 'long-first': null }, 'Stub')
/** Where the odd period goes: the default everywhere is `short-last`. */
export type Stub = t.TypeOf<typeof StubC>

/** A span of days: `from` belongs to it, `to` is where the next one begins. */
export type Period = { readonly from: LocalDate; readonly to: LocalDate }

/** What {@link periodsBetween} cuts, and how. */
export type PeriodsOptions = {
  /** The first day. It is not rolled: it is the day that was agreed. */
  readonly from: LocalDate
  /** The last boundary, before it is rolled. */
  readonly until: LocalDate
  readonly frequency: Frequency
  readonly calendar: BusinessCalendar
  readonly roll: Roll
  /** When the date that is reckoned from is the last of its month, all boundaries are. Default false. */
  readonly endOfMonth?: boolean
  /** Default `short-last`. */
  readonly stub?: Stub
}

/** The boundaries strictly between the two dates, going from one of them towards the other, before any roll. */
const between = ({ from, until, frequency, endOfMonth = false }: PeriodsOptions, forwards: boolean): LocalDate[] => {
  const found: LocalDate[] = []
  for (let count = 1; ; count++) {
    const date = addPeriods(forwards ? from : until, frequency, forwards ? count : -count, { endOfMonth })
    if (forwards ? date >= until : date <= from) return found
    if (found.length === mostOccurrences)
      return refuse(`periods from ${from} until ${until}`, `there are more than ${mostOccurrences}.`)
    found.push(date)
  }
}

/** Whether the span is a whole number of periods, so that there is no odd one to place. */
const isWhole = (options: PeriodsOptions, count: number, forwards: boolean): boolean => {
  const { from, until, frequency, endOfMonth = false } = options
  const end = addPeriods(forwards ? from : until, frequency, forwards ? count : -count, { endOfMonth })
  return end === (forwards ? until : from)
}

/** Cuts the span between two dates into periods. Throws `recurrence-invalid` when nothing lies between them. */
export const periodsBetween = (options: PeriodsOptions): readonly Period[] => {
  const { from, until, calendar, roll, stub = 'short-last' } = options
  const forwards = stub === 'short-last' || stub === 'long-last'
  const inner = between(options, forwards)
  const isLong = stub === 'long-last' || stub === 'long-first'
  // The odd period is made long by leaving out the boundary next to it, which was found last.
  if (isLong && !isWhole(options, inner.length + 1, forwards)) inner.pop()
  const boundaries = [...(forwards ? inner : inner.reverse()), until].map((date) => rollDate(calendar, roll, date))
  const periods: Period[] = []
  let begin = from
  for (const to of boundaries) {
    // Two dates may roll to the same day, and no period is empty.
    if (to <= begin) continue
    periods.push({ from: begin, to })
    begin = to
  }
  if (periods.length === 0) return refuse(`periods from ${from} until ${until}`, 'no business day lies between them.')
  return periods
}
