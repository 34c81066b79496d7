/**
 * A recurrence: a rule, bounds, exclusions and jitter, all plain data that a state can hold. It means one ordered
 * set of instants, the same wherever and whenever it is asked, given the same zone data.
 */
import * as t from 'io-ts'
import type { DurationLikeObject } from 'luxon'
import { Duration } from 'luxon'
import { IntegerC } from '../../encoding/IntegerC.js'
import { InstantC, type Instant } from '../Instant.js'
import { LocalDateC, localDate, localTime, timeOfDay } from '../LocalTime.js'
import { zone as zoneNamed, ZoneC } from '../Zone.js'
import type { BusinessCalendar, Roll } from '../calendars/BusinessCalendar.js'
import { CalendarRuleC } from './CalendarRule.js'
import { CronRuleC } from './CronRule.js'
import type { DstPolicy } from './DstPolicy.js'
import { InstantsRuleC } from './InstantsRule.js'
import { IntervalRuleC } from './IntervalRule.js'
import { JitterC, type Jitter } from './jitter.js'
import { refuse } from './refuse.js'
import { RepetitionRuleC } from './RepetitionRule.js'
import { RRuleC } from './RRule.js'

/** Codec of the rule of a recurrence. */
export const RuleC = t.union([InstantsRuleC, IntervalRuleC, CronRuleC, RRuleC, RepetitionRuleC, CalendarRuleC], 'Rule')
/**
 * How a recurrence goes on: at instants, by an interval, a cron expression, an RFC 5545 rule, a repetition or a
 * calendar.
 */
export type RecurrenceRule = t.TypeOf<typeof RuleC>

/** Instants, and whole local days in a zone, that are left out. */
export const ExclusionsC = t.readonly(
  t.exact(
    t.partial({
      instants: t.readonlyArray(InstantC),
      days: t.readonly(t.strict({ zone: ZoneC, dates: t.readonlyArray(LocalDateC) })),
    }),
  ),
  'Exclusions',
)
/** What a recurrence leaves out. */
export type Exclusions = t.TypeOf<typeof ExclusionsC>

/** Codec of a recurrence in a state. */
export const RecurrenceC = t.readonly(
  t.intersection([
    t.strict({ rule: RuleC }),
    t.exact(t.partial({ from: InstantC, until: InstantC, count: IntegerC, except: ExclusionsC, jitter: JitterC })),
  ]),
  'Recurrence',
)

/** A rule with its bounds: an ordered set of instants, as plain data. */
export type Recurrence = {
  readonly rule: RecurrenceRule
  /** Nothing before this instant. */
  readonly from?: Instant
  /** Nothing after this instant; an occurrence exactly at it still counts. */
  readonly until?: Instant
  /** At most so many, counted from the beginning, those that `except` leaves out included. */
  readonly count?: number
  readonly except?: Exclusions
  /** Applied last: bounds and exclusions speak of occurrences before they are put off. */
  readonly jitter?: Jitter
}

/** Bounds, exclusions and jitter of a recurrence; each is explained at {@link Recurrence}. */
export type RecurrenceOptions = Omit<Recurrence, 'rule'>

/** For rules of local time: what to do when the clocks change. Default: shift forward, and the first of two. */
export type LocalOptions = RecurrenceOptions & { readonly dst?: DstPolicy }

const withDst = ({ dst, ...options }: LocalOptions): [{ readonly dst?: DstPolicy }, RecurrenceOptions] => [
  dst === undefined ? {} : { dst },
  options,
]

/** The instants given, and no others. */
export const atInstants = (at: readonly Instant[], options: RecurrenceOptions = {}): Recurrence => ({
  rule: { kind: 'instants', at },
  ...options,
})

/** Every so much elapsed time, in step with `phase`. Months and years have no fixed length: use a calendar rule. */
export const everyInterval = (
  every: DurationLikeObject,
  phase: Instant,
  options: RecurrenceOptions = {},
): Recurrence => {
  const { years, quarters, months } = Duration.fromObject(every)
  if (years + quarters + months !== 0)
    return refuse('interval', 'months and years differ in length; use everyOnCalendar or an RRULE for them.')
  return { rule: { kind: 'interval', everyMs: Duration.fromObject(every).toMillis(), phase }, ...options }
}

/** A cron expression, with or without seconds, in a zone. */
export const cron = (expression: string, zone: string, options: LocalOptions = {}): Recurrence => {
  const [dst, rest] = withDst(options)
  return { rule: { kind: 'cron', expression, zone: zoneNamed(zone), ...dst }, ...rest }
}

/** An RFC 5545 rule, beginning at a local time in a zone. */
export const rrule = (rule: string, start: string, zone: string, options: LocalOptions = {}): Recurrence => {
  const [dst, rest] = withDst(options)
  return { rule: { kind: 'rrule', rule, start: localTime(start), zone: zoneNamed(zone), ...dst }, ...rest }
}

/** An ISO 8601 repetition such as `R5/2026-01-31T09:00:00/P1M`, its local times in a zone. */
export const repetition = (iso: string, zone: string, options: LocalOptions = {}): Recurrence => {
  const [dst, rest] = withDst(options)
  return { rule: { kind: 'repetition', iso, zone: zoneNamed(zone), ...dst }, ...rest }
}

/** Every so many days, weeks, months or years, each date rolled to a business day of a calendar. */
export const everyOnCalendar = (
  every: number,
  unit: 'day' | 'week' | 'month' | 'year',
  on: {
    readonly first: string
    readonly time: string
    readonly zone: string
    readonly calendar: BusinessCalendar
    readonly roll: Roll
    readonly endOfMonth?: boolean
  },
  options: LocalOptions = {},
): Recurrence => {
  const [dst, rest] = withDst(options)
  const places = { first: localDate(on.first), time: timeOfDay(on.time), zone: zoneNamed(on.zone) }
  return { rule: { kind: 'calendar', every, unit, ...on, ...places, ...dst }, ...rest }
}
