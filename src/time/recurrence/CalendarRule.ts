/**
 * Every so many days, weeks, months or years of a business calendar: dates are reckoned from the first one and each
 * is then rolled to a business day, so a roll never drags the later dates along.
 */
import * as t from 'io-ts'
import { IntegerC } from '../../encoding/IntegerC.js'
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

/** The dates of the rule before any roll, by their number from zero. */
const unrolled = (rule: CalendarRule, index: number): LocalDate => {
  const count = rule.every * index
  if (rule.unit === 'day' || rule.unit === 'week') return dateOf(dateMs(rule.first) + count * longestUnitMs[rule.unit])
  const date = addMonths(rule.first, rule.unit === 'month' ? count : count * 12)
  return rule.endOfMonth === true && isEndOfMonth(rule.first) ? endOfMonth(date) : date
}

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
      // A roll from the last days of the last year would leave the table.
      if (date >= `${lastYear}-12-25`) return undefined
      return dateMs(rollDate(rule.calendar, rule.roll, date)) + timeMs
    },
    indexBefore: (ms) => Math.floor((ms - longestRollMs - dateMs(rule.first)) / longest) - 1,
  })
  return zoned(local, rule.zone, rule.dst ?? defaultDstPolicy)
}
