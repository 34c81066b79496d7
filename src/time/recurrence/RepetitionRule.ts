/**
 * An ISO 8601 repetition: `R5/2026-01-31T09:00:00/P1M` is five occurrences a month apart, `R/…` goes on without end.
 * Every occurrence is reckoned from the first, so the 31st comes back after February.
 */
import * as t from 'io-ts'
import { DateTime, Duration } from 'luxon'
import { dayMs } from '../LocalTime.js'
import { ZoneC } from '../Zone.js'
import { defaultDstPolicy, DstPolicyC } from './DstPolicy.js'
import { leastSpacingMs } from './leastSpacing.js'
import { longestRuleText } from './longestRuleText.js'
import { refuse } from './refuse.js'
import { ofIndex, type Sequence } from './Sequence.js'
import { zoned } from './zoned.js'

/** Local times are read in `zone`; a time that ends in Z asks for the zone UTC. */
export const RepetitionRuleC = t.readonly(
  t.intersection([
    t.strict({ kind: t.literal('repetition'), iso: t.string, zone: ZoneC }),
    t.exact(t.partial({ dst: DstPolicyC })),
  ]),
  'RepetitionRule',
)
export type RepetitionRule = t.TypeOf<typeof RepetitionRuleC>

const timePattern = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?)?Z?$/

const readTime = ({ iso, zone }: RepetitionRule, text: string): DateTime => {
  const time = DateTime.fromISO(text.replace(/Z$/, ''), { zone: 'utc' })
  if (!timePattern.test(text) || !time.isValid)
    return refuse(`repetition "${iso}"`, `"${text}" is not a local time such as 2026-01-31T09:00:00.`)
  if (text.endsWith('Z') && zone !== 'UTC')
    return refuse(
      `repetition "${iso}"`,
      `"${text}" is in UTC but the zone is ${zone}; give the zone UTC or leave out the Z.`,
    )
  return time
}

const readDuration = ({ iso }: RepetitionRule, text: string): Duration => {
  const duration = Duration.fromISO(text)
  if (!duration.isValid) return refuse(`repetition "${iso}"`, `"${text}" is not a duration such as P1M or PT15M.`)
  // Parts of both signs could lead forwards in one month and backwards in another.
  if (Object.values(duration.toObject()).some((amount) => amount < 0) || duration.toMillis() < leastSpacingMs)
    return refuse(`repetition "${iso}"`, `"${text}" is not a step forward of at least ${leastSpacingMs} ms.`)
  return duration
}

const times = (duration: Duration, count: number): Duration => duration.mapUnits((amount) => amount * count)

/** No occurrence is further from the one before than this. */
const longestMs = (step: Duration): number => {
  const { years, quarters, months } = step
  const fixed = step.set({ years: 0, quarters: 0, months: 0 })
  return fixed.toMillis() + (years * 366 + quarters * 92 + months * 31) * dayMs
}

type Repetition = {
  readonly firstMs: number
  readonly step: Duration
  readonly count: number | undefined
  readonly at: (index: number) => DateTime
}

const read = (rule: RepetitionRule): Repetition => {
  if (rule.iso.length > longestRuleText)
    return refuse(`repetition of ${rule.iso.length} characters`, `a repetition has at most ${longestRuleText}.`)
  const [head, one, two, ...rest] = rule.iso.split('/')
  const [, repeats] = /^R(-1|\d*)$/.exec(head ?? '') ?? []
  if (repeats === undefined || one === undefined || two === undefined || rest.length > 0)
    return refuse(`repetition "${rule.iso}"`, 'write it as R5/2026-01-31T09:00:00/P1M, with R alone for no end.')
  const count = repeats === '' || repeats === '-1' ? undefined : Number(repeats)
  if (one.startsWith('P')) {
    const step = readDuration(rule, one)
    const last = readTime(rule, two)
    if (count === undefined)
      return refuse(`repetition "${rule.iso}"`, 'a repetition that is known by its end needs a count, as in R5/P1M/….')
    const at = (index: number): DateTime => last.minus(times(step, count - 1 - index))
    if (!at(0).isValid) return refuse(`repetition "${rule.iso}"`, 'its first occurrence lies before all time.')
    return { firstMs: at(0).toMillis(), step, count, at }
  }
  const first = readTime(rule, one)
  const step = readDuration(rule, two.startsWith('P') ? two : (readTime(rule, two).diff(first).toISO() ?? two))
  return { firstMs: first.toMillis(), step, count, at: (index) => first.plus(times(step, index)) }
}

export const repetitionSequence = (rule: RepetitionRule): Sequence => {
  const { firstMs, step, count, at } = read(rule)
  const longest = longestMs(step)
  const local = ofIndex({
    at: (index) => {
      const time = at(index)
      return time.isValid ? time.toMillis() : undefined
    },
    indexBefore: (ms) => Math.floor((ms - firstMs) / longest) - 1,
    ...(count === undefined ? {} : { count }),
  })
  return zoned(local, rule.zone, rule.dst ?? defaultDstPolicy)
}
