/**
 * Every so many days, weeks, months or years of a business calendar: dates are reckoned from the first one and each
 * is then rolled to a business day, so a roll never drags the later dates along.
 */
import * as t from 'io-ts'
import { IntegerC } from '../../encoding/IntegerC.js'
import { CarillonError } from '../../errors/CarillonError.js'
import { BusinessCalendarC, RollC, rollDate } from '../calendars/BusinessCalendar.js'
import { firstYear, lastYear } from '../calendars/holidays.js'
import { addMonths, endOfMonth, isEndOfMonth } from '../dates.js'
import { dateMs, dateOf, dayMs, LocalDateC, TimeOfDayC, timeOfDayMs, type LocalDate } from '../LocalTime.js'
import { ZoneC } from '../Zone.js'
import { defaultDstPolicy, DstPolicyC } from './DstPolicy.js'
import { refuse } from './refuse.js'
import { ofIndex, type Sequence } from './Sequence.js'
import { zoned } from './zoned.js'

/**
 * `first`: the first date, before rolling. `time`: the time of day in `zone`. `endOfMonth`: when the first date is the
 * last of its month, all are; default false, which keeps the day of the month where the month has it.
 */
export const CalendarRuleC = t.readonly(
  t.intersection([
    t.strict({
      kind: t.literal('calendar'),
      every: IntegerC,
      unit: t.keyof({ day: null, week: null, month: null, year: null }),
      first: LocalDateC,
      time: TimeOfDayC,
      zone: ZoneC,
      calendar: BusinessCalendarC,
      roll: RollC,
    }),
    t.exact(t.partial({ endOfMonth: t.boolean, dst: DstPolicyC })),
  ]),
  'CalendarRule',
)
export type CalendarRule = t.TypeOf<typeof CalendarRuleC>

const longestUnitMs = { day: dayMs, week: 7 * dayMs, month: 31 * dayMs, year: 366 * dayMs } as const

/** Further than any roll goes. */
const longestRollMs = 15 * dayMs

/** Dates from here on could be rolled out of the years that an instant can name. */
const noDateFrom = { year: 9_999, month: 12 } as const
const noDateFromMs = Date.UTC(noDateFrom.year, noDateFrom.month - 1, 1)

/** The dates of the rule before any roll, by their number from zero; undefined after the last. */
const unrolled = ({ every, unit, first, endOfMonth: keepsEnd }: CalendarRule, index: number): LocalDate | undefined => {
  const count = every * index
  if (unit === 'day' || unit === 'week') {
    const ms = dateMs(first) + count * longestUnitMs[unit]
    return ms < noDateFromMs ? dateOf(ms) : undefined
  }
  const months = unit === 'month' ? count : count * 12
  const [year, month] = [Number(first.slice(0, 4)), Number(first.slice(5, 7))]
  if (year * 12 + month + months >= noDateFrom.year * 12 + noDateFrom.month) return undefined
  const date = addMonths(first, months)
  return keepsEnd === true && isEndOfMonth(first) ? endOfMonth(date) : date
}

const tableEndMs = Date.parse(`${lastYear}-12-25T00:00:00Z`)

const isBeyondTable = ({ calendar }: CalendarRule, ms: number): boolean => calendar.length > 0 && ms >= tableEndMs

/** Refuses to name a day for which nobody knows the holidays: otherwise a recurrence would seem to end there. */
export const withinTable = (rule: CalendarRule, inner: Sequence): Sequence => ({
  after: (ms, budget) => {
    const point = inner.after(ms, budget)
    if (point !== undefined && isBeyondTable(rule, point))
      throw new CarillonError(
        'calendar-out-of-range',
        `The next occurrence after ${new Date(ms).toISOString()} lies outside the years ${firstYear} to ${lastYear}, for which the holidays of ${rule.calendar.join(' and ')} are known.`,
        { after: new Date(ms).toISOString() },
      )
    return point
  },
  before: (ms, budget) => inner.before(rule.calendar.length > 0 ? Math.min(ms, tableEndMs) : ms, budget),
})

export const calendarSequence = (rule: CalendarRule): Sequence => {
  if (rule.every < 1) return refuse(`calendar rule every ${rule.every} ${rule.unit}s`, 'the count is at least one.')
  const year = Number(rule.first.slice(0, 4))
  if (rule.calendar.length > 0 && (year < firstYear || year > lastYear))
    return refuse(`calendar rule from ${rule.first}`, `holidays are known for the years ${firstYear} to ${lastYear}.`)
  const timeMs = timeOfDayMs(rule.time)
  const longest = rule.every * longestUnitMs[rule.unit]
  const local = ofIndex({
    at: (index) => {
      const date = unrolled(rule, index)
      if (date === undefined) return undefined
      // A roll from the last days of the last year would leave the table; whoever asks for such a day is refused below.
      const rolled = isBeyondTable(rule, dateMs(date)) ? date : rollDate(rule.calendar, rule.roll, date)
      return dateMs(rolled) + timeMs
    },
    indexBefore: (ms) => Math.floor((ms - longestRollMs - dateMs(rule.first)) / longest) - 1,
  })
  return zoned(local, rule.zone, rule.dst ?? defaultDstPolicy)
}
