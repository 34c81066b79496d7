/**
 * A recurrence rule of RFC 5545, such as `FREQ=MONTHLY;BYDAY=-1FR`, beginning at a local time in a zone. Dates to
 * leave out are given as exclusions of the recurrence, not in the rule.
 */
import * as t from 'io-ts'
import { RRuleTemporal } from 'rrule-temporal'
import { messageOf } from '../../errors/CarillonError.js'
import { dayMs, localMs, LocalTimeC } from '../LocalTime.js'
import { ZoneC } from '../Zone.js'
import { defaultDstPolicy, DstPolicyC } from './DstPolicy.js'
import { longestRuleText } from './longestRuleText.js'
import { refuse } from './refuse.js'
import { between, type Sequence } from './Sequence.js'
import { zoned } from './zoned.js'

export const RRuleC = t.readonly(
  t.intersection([
    t.strict({ kind: t.literal('rrule'), rule: t.string, start: LocalTimeC, zone: ZoneC }),
    t.exact(t.partial({ dst: DstPolicyC })),
  ]),
  'RRule',
)
export type RRule = t.TypeOf<typeof RRuleC>

type Until = { readonly localMs?: number; readonly instantMs?: number }

const untilPattern = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/

/** UNTIL is an instant when it ends in Z, a local time when it does not, and a whole local day when it is a date. */
const readUntil = (rule: string, text: string): Until => {
  const [, year, month, day, hour, minute, second, utc] = untilPattern.exec(text) ?? []
  if (year === undefined || month === undefined || day === undefined)
    return refuse(`rrule "${rule}"`, `UNTIL=${text} is neither a date nor a date with a time.`)
  const dayStart = Date.parse(`${year}-${month}-${day}T00:00:00Z`)
  if (hour === undefined) return { localMs: dayStart + dayMs - 1 }
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute ?? '00'}:${second ?? '00'}Z`)
  return utc === 'Z' ? { instantMs: at } : { localMs: at }
}

const parse = (rule: string, startMs: number): RRuleTemporal => {
  const start = new Date(startMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
  try {
    // In UTC the parser's time is plain arithmetic; the zone is applied afterwards, under a policy of our own.
    return new RRuleTemporal({ rruleString: `DTSTART;TZID=UTC:${start}\nRRULE:${rule}` })
  } catch (error) {
    return refuse(`rrule "${rule}"`, messageOf(error))
  }
}

/** The library gives up, with an error, when it has looked for long and found nothing. */
const found = (
  rule: string,
  find: () => { readonly epochMilliseconds: number } | null | undefined,
): number | undefined => {
  try {
    return find()?.epochMilliseconds
  } catch (error) {
    return refuse(`rrule "${rule}"`, `no occurrence was found: ${messageOf(error)}. Write a rule that occurs sooner.`)
  }
}

/** The shortest that a period of each frequency can be. */
const periods: Readonly<Record<string, number>> = {
  SECONDLY: 1_000,
  MINUTELY: 60_000,
  HOURLY: 3_600_000,
  DAILY: dayMs,
  WEEKLY: 7 * dayMs,
  MONTHLY: 28 * dayMs,
  YEARLY: 365 * dayMs,
}

/** The days of a period, of which the library may look at each, and at each time of day on it. */
const daysOf = (periodMs: number): number => Math.max(1, Math.ceil(periodMs / dayMs))

/** So many periods are looked at in the time of one step, and so many dates within a period in that of one period. */
const periodsOfStep = 5
const datesOfPeriod = 20

/** What a look costs that finds something at once. */
const stepsOfLook = 10

/** As many periods as the library looks at before it gives up. */
const mostPeriods = 10_000

/** More times of day than this are no list that anyone wrote. Every minute of a day is within it. */
const mostTimesOfDay = 1_440

/** What a look costs: the library goes through all periods between, and from the first one when it has to count. */
const costOf = (
  rule: string,
  parts: readonly string[],
  startMs: number,
): ((fromMs: number, toMs: number) => number) => {
  const value = (name: string): string | undefined =>
    parts.find((part) => part.toUpperCase().startsWith(`${name}=`))?.slice(name.length + 1)
  const length = (name: string): number => value(name)?.split(',').length ?? 1
  const timesOfDay = length('BYHOUR') * length('BYMINUTE') * length('BYSECOND')
  if (timesOfDay > mostTimesOfDay)
    return refuse(`rrule "${rule}"`, `it names ${timesOfDay} times of a day; at most ${mostTimesOfDay} are looked at.`)
  const periodMs = periods[value('FREQ')?.toUpperCase() ?? ''] ?? dayMs
  const strideMs = periodMs * Math.max(1, Number(value('INTERVAL') ?? 1) || 1)
  const weight = 1 + (daysOf(periodMs) * timesOfDay) / datesOfPeriod
  const counts = value('COUNT') !== undefined
  return (fromMs, toMs) => {
    const passed = Math.abs(toMs - (counts ? startMs : fromMs)) / strideMs
    return stepsOfLook + Math.floor(((1 + Math.min(mostPeriods, passed)) * weight) / periodsOfStep)
  }
}

export const rruleSequence = ({ rule, start, zone, dst }: RRule): Sequence => {
  if (rule.length > longestRuleText)
    return refuse(`rrule of ${rule.length} characters`, `a rule has at most ${longestRuleText}.`)
  const parts = rule.replace(/^RRULE:/i, '').split(';')
  if (/[\n\r]/.test(rule)) return refuse(`rrule "${rule}"`, 'give the rule alone; leave dates out by exclusions.')
  const untilPart = parts.find((part) => /^UNTIL=/i.test(part))
  const until = untilPart === undefined ? {} : readUntil(rule, untilPart.slice('UNTIL='.length))
  const startMs = localMs(start)
  const parsed = parse(parts.filter((part) => part !== untilPart).join(';'), startMs)
  const cost = costOf(rule, parts, startMs)
  const local: Sequence = {
    after: (ms, budget) => {
      const point = found(rule, () => parsed.next(new Date(ms)))
      budget.spend(cost(ms, point ?? ms))
      return point
    },
    before: (ms, budget) => {
      const point = found(rule, () => parsed.previous(new Date(ms)))
      budget.spend(cost(ms, point ?? startMs))
      return point
    },
  }
  const instants = zoned(between(local, startMs, until.localMs), zone, dst ?? defaultDstPolicy)
  return between(instants, undefined, until.instantMs)
}
