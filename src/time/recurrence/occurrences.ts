/**
 * Asks a recurrence for its occurrences, forwards and backwards. Both directions walk the same ordered set: the one
 * before the next is where one started.
 */
import { latestInstantMs, instantFromMillis, toMillis, type Instant } from '../Instant.js'
import { dateOf } from '../LocalTime.js'
import { offsetMs } from '../Zone.js'
import { calendarSequence, withinTable } from './CalendarRule.js'
import { cronSequence } from './CronRule.js'
import { instantsSequence } from './InstantsRule.js'
import { intervalSequence } from './IntervalRule.js'
import { jittered } from './jitter.js'
import type { Exclusions, Recurrence, RecurrenceRule } from './Recurrence.js'
import { mostOccurrences } from './mostOccurrences.js'
import { refuse } from './refuse.js'
import { repetitionSequence } from './RepetitionRule.js'
import { rruleSequence } from './RRule.js'
import { between, without, type Sequence } from './Sequence.js'

const sequenceOf = (rule: RecurrenceRule): Sequence => {
  switch (rule.kind) {
    case 'instants':
      return instantsSequence(rule)
    case 'interval':
      return intervalSequence(rule)
    case 'cron':
      return cronSequence(rule)
    case 'rrule':
      return rruleSequence(rule)
    case 'repetition':
      return repetitionSequence(rule)
    case 'calendar':
      return calendarSequence(rule)
  }
}

const earliestMs = Date.parse('0000-01-01T00:00:00.000Z')

/** Where counting begins: at `from`, or where the rule itself begins. */
const beginningOf = ({ rule, from }: Recurrence): number => {
  if (from !== undefined) return toMillis(from)
  if (rule.kind === 'cron')
    return refuse(
      `cron "${rule.expression}"`,
      'it has no beginning, so a count needs `from`, the instant to count from.',
    )
  return rule.kind === 'interval' ? toMillis(rule.phase) : earliestMs
}

/** The sequence up to its nth point, from where it begins. */
const counted = (recurrence: Recurrence, inner: Sequence, count: number): Sequence => {
  if (count < 0 || count > mostOccurrences)
    return refuse(`count of ${count}`, `a count is from 0 to ${mostOccurrences}; use until for more.`)
  const fromMs = beginningOf(recurrence)
  let last = fromMs - 1
  for (let left = count; left > 0; left--) {
    const point = inner.after(last)
    if (point === undefined) break
    last = point
  }
  return between(inner, fromMs, last)
}

const excludes = ({ instants = [], days }: Exclusions): ((ms: number) => boolean) => {
  const excludedInstants = new Set(instants.map(toMillis))
  const excludedDates = new Set<string>(days?.dates ?? [])
  return (ms) =>
    excludedInstants.has(ms) || (days !== undefined && excludedDates.has(dateOf(ms + offsetMs(days.zone, ms))))
}

const compile = (recurrence: Recurrence): Sequence => {
  const { rule, from, until, count, except, jitter } = recurrence
  const whole = between(
    sequenceOf(rule),
    from === undefined ? earliestMs : toMillis(from),
    until === undefined ? latestInstantMs : toMillis(until),
  )
  const bounded = count === undefined ? whole : counted(recurrence, whole, count)
  const nominal = except === undefined ? bounded : without(bounded, excludes(except))
  const actual = jitter === undefined ? nominal : jittered(nominal, jitter)
  return rule.kind === 'calendar' ? withinTable(rule, actual) : actual
}

/** A recurrence is immutable, so what was worked out about it once stays true. */
const compiled = new WeakMap<Recurrence, Sequence>()

const compiledOf = (recurrence: Recurrence): Sequence => {
  const known = compiled.get(recurrence)
  if (known !== undefined) return known
  const fresh = compile(recurrence)
  compiled.set(recurrence, fresh)
  return fresh
}

const asInstant = (ms: number | undefined): Instant | undefined =>
  ms === undefined ? undefined : instantFromMillis(ms)

/** The first occurrence after an instant; undefined when there is none. Throws `recurrence-invalid` for a bad rule. */
export const nextAfter = (recurrence: Recurrence, after: Instant): Instant | undefined =>
  asInstant(compiledOf(recurrence).after(toMillis(after)))

/** The last occurrence before an instant; undefined when there is none. */
export const previousBefore = (recurrence: Recurrence, before: Instant): Instant | undefined =>
  asInstant(compiledOf(recurrence).before(toMillis(before)))

/** Every occurrence from one instant to another, both included; refused when there are more than fit one answer. */
export const allBetween = (recurrence: Recurrence, from: Instant, until: Instant): readonly Instant[] => {
  const sequence = compiledOf(recurrence)
  const found: Instant[] = []
  let point = sequence.after(toMillis(from) - 1)
  while (point !== undefined && point <= toMillis(until)) {
    if (found.length === mostOccurrences)
      return refuse(`occurrences from ${from} to ${until}`, `there are more than ${mostOccurrences}; ask in portions.`)
    found.push(instantFromMillis(point))
    point = sequence.after(point)
  }
  return found
}

/** The next `count` occurrences after an instant, or as many as there are. */
export const preview = (recurrence: Recurrence, after: Instant, count: number): readonly Instant[] => {
  const sequence = compiledOf(recurrence)
  const found: Instant[] = []
  let point = count > 0 ? sequence.after(toMillis(after)) : undefined
  while (point !== undefined && found.length < Math.min(count, mostOccurrences)) {
    found.push(instantFromMillis(point))
    point = sequence.after(point)
  }
  return found
}

/** Refuses a recurrence that cannot be read, contradicts itself or never occurs, and gives it back otherwise. */
export const checkRecurrence = (recurrence: Recurrence): Recurrence => {
  if (compiledOf(recurrence).after(earliestMs - 1) === undefined)
    return refuse(
      `recurrence ${JSON.stringify(recurrence)}`,
      'it never occurs. Look for a date that no month has, bounds that leave no time between them, or a list that is empty.',
    )
  return recurrence
}
