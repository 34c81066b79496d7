/**
 * Asks a recurrence for its occurrences, forwards and backwards. Both directions walk the same ordered set: the one
 * before the next is where one started. Every question is answered or refused within a budget of steps, whatever the
 * recurrence is and wherever it comes from.
 */
import { CarillonError } from '../../errors/CarillonError.js'
import { latestInstantMs, instantFromMillis, toMillis, type Instant } from '../Instant.js'
import { calendarSequence, withinTable } from './CalendarRule.js'
import { cronSequence } from './CronRule.js'
import { exclusionOf } from './exclusion.js'
import { instantsSequence } from './InstantsRule.js'
import { intervalSequence } from './IntervalRule.js'
import { jittered } from './jitter.js'
import type { Recurrence, RecurrenceRule } from './Recurrence.js'
import { mostOccurrences } from './mostOccurrences.js'
import { refuse } from './refuse.js'
import { repetitionSequence } from './RepetitionRule.js'
import { rruleSequence } from './RRule.js'
import { between, without, type Sequence } from './Sequence.js'
import { StepBudget } from './StepBudget.js'

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

/** A budget of its own for every question, and for the counting that a count needs before any. */
const budgetOf = (recurrence: Recurrence): StepBudget =>
  new StepBudget(`recurrence ${JSON.stringify(recurrence).slice(0, 300)}`)

const earliestMs = Date.parse('0000-01-01T00:00:00.000Z')
const latestInstant = instantFromMillis(latestInstantMs)

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
  const budget = budgetOf(recurrence)
  let last = fromMs - 1
  for (let left = count; left > 0; left--) {
    const point = inner.after(last, budget)
    if (point === undefined) break
    budget.foundOne()
    last = point
  }
  return between(inner, fromMs, last)
}

const compile = (recurrence: Recurrence): Sequence => {
  const { rule, from, until, count, except, jitter } = recurrence
  const whole = between(
    sequenceOf(rule),
    from === undefined ? earliestMs : toMillis(from),
    until === undefined ? latestInstantMs : toMillis(until),
  )
  const bounded = count === undefined ? whole : counted(recurrence, whole, count)
  const nominal = except === undefined ? bounded : without(bounded, exclusionOf(except))
  const actual = jitter === undefined ? nominal : between(jittered(nominal, jitter), undefined, latestInstantMs)
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
  asInstant(compiledOf(recurrence).after(toMillis(after), budgetOf(recurrence)))

/** The last occurrence before an instant; undefined when there is none. */
export const previousBefore = (recurrence: Recurrence, before: Instant): Instant | undefined =>
  asInstant(compiledOf(recurrence).before(toMillis(before), budgetOf(recurrence)))

/** The occurrences after a time, one by one, all paid for from one budget. */
const walk = function* (recurrence: Recurrence, afterMs: number, budget: StepBudget): Generator<number, void> {
  const sequence = compiledOf(recurrence)
  for (let point = sequence.after(afterMs, budget); point !== undefined; point = sequence.after(point, budget)) {
    budget.foundOne()
    yield point
  }
}

/** The first occurrences from one instant to another, both included; at most `most`. */
export const listBetween = (
  recurrence: Recurrence,
  from: Instant,
  until: Instant,
  most: number,
): readonly Instant[] => {
  const found: Instant[] = []
  if (most <= 0) return found
  for (const point of walk(recurrence, toMillis(from) - 1, budgetOf(recurrence))) {
    if (point > toMillis(until)) break
    found.push(instantFromMillis(point))
    if (found.length === most) break
  }
  return found
}

/** Every occurrence from one instant to another, both included; refused when there are more than fit one answer. */
export const allBetween = (recurrence: Recurrence, from: Instant, until: Instant): readonly Instant[] => {
  const found = listBetween(recurrence, from, until, mostOccurrences + 1)
  return found.length <= mostOccurrences
    ? found
    : refuse(`occurrences from ${from} to ${until}`, `there are more than ${mostOccurrences}; ask in portions.`)
}

/** The next `count` occurrences after an instant, or as many as there are. */
export const preview = (recurrence: Recurrence, after: Instant, count: number): readonly Instant[] =>
  after >= latestInstant
    ? []
    : listBetween(
        recurrence,
        instantFromMillis(toMillis(after) + 1),
        latestInstant,
        Math.min(Math.trunc(count), mostOccurrences),
      )

/**
 * The occurrences from one instant to another, both included: at most `most`, and no more than one budget finds, but at
 * least one when there is one. Whoever takes them asks again after the last, so that what is dear is done in portions.
 */
export const portionBetween = (
  recurrence: Recurrence,
  from: Instant,
  until: Instant,
  most: number,
): readonly Instant[] => {
  const found: Instant[] = []
  const budget = budgetOf(recurrence)
  try {
    for (const point of walk(recurrence, toMillis(from) - 1, budget)) {
      if (point > toMillis(until)) break
      found.push(instantFromMillis(point))
      if (found.length === most) break
    }
  } catch (error) {
    if (!budget.isSpent || found.length === 0) throw error
  }
  return found
}

/** So many occurrences must be found within one budget before a recurrence is accepted. */
const occurrencesChecked = 10

/**
 * Refuses a recurrence that cannot be read, contradicts itself, never occurs, or needs too many steps to say when, and
 * gives it back otherwise.
 */
export const checkRecurrence = (recurrence: Recurrence): Recurrence => {
  let found = 0
  try {
    const walked = walk(recurrence, earliestMs - 1, budgetOf(recurrence))
    while (found < occurrencesChecked && walked.next().done !== true) found += 1
  } catch (error) {
    // Holidays are known up to a year; a rule that begins before it is good until then.
    if (found === 0 || !(error instanceof CarillonError) || error.code !== 'calendar-out-of-range') throw error
  }
  if (found === 0)
    return refuse(
      `recurrence ${JSON.stringify(recurrence)}`,
      'it never occurs. Look for a date that no month has, bounds that leave no time between them, or a list that is empty.',
    )
  return recurrence
}
