/**
 * A cron expression: five fields, six with seconds in front, seven with years behind; names, lists, steps, `L`,
 * `W` and `#`, and nicknames such as `@daily`. It speaks of local time in its zone.
 */
import * as t from 'io-ts'
import { Cron } from 'croner'
import { messageOf } from '../../errors/CarillonError.js'
import { dayMs } from '../LocalTime.js'
import { ZoneC } from '../Zone.js'
import { defaultDstPolicy, DstPolicyC } from './DstPolicy.js'
import { refuse } from './refuse.js'
import type { Sequence } from './Sequence.js'
import type { StepBudget } from './StepBudget.js'
import { longestRuleText } from './longestRuleText.js'
import { zoned } from './zoned.js'

export const CronRuleC = t.readonly(
  t.intersection([
    t.strict({ kind: t.literal('cron'), expression: t.string, zone: ZoneC }),
    t.exact(t.partial({ dst: DstPolicyC })),
  ]),
  'CronRule',
)
export type CronRule = t.TypeOf<typeof CronRuleC>

const parse = (expression: string): Cron => {
  // The parser fills a question mark in with the time of the day it is read on.
  if (expression.includes('?'))
    return refuse(`cron "${expression}"`, 'write * instead of ?, which depends on the clock.')
  if (expression.length > longestRuleText)
    return refuse(`cron of ${expression.length} characters`, `an expression has at most ${longestRuleText}.`)
  try {
    // In UTC the parser's time is plain arithmetic; the zone is applied afterwards, under a policy of our own.
    return new Cron(expression, { utcOffset: 0, paused: true })
  } catch (error) {
    return refuse(`cron "${expression}"`, messageOf(error))
  }
}

const secondMs = 1_000

/** Dates and their weekdays come again after 400 years. */
const cycleMs = 146_097 * dayMs
const yearMs = 365 * dayMs
const cycleStartMs = Date.parse('2000-01-01T00:00:00Z')

/** Names years of its own, behind the six other fields. */
const namesYears = (expression: string): boolean => (expression.trim().split(/\s+/)[6] ?? '*') !== '*'

/** So much earlier the expression means the same: the parser looks at no year after 2999 unless it is named. */
const earlierBy = (ms: number): number => Math.max(0, Math.floor((ms - cycleStartMs) / cycleMs)) * cycleMs

const localSequence = (expression: string): Sequence => {
  const cron = parse(expression)
  const shift = namesYears(expression) ? () => 0 : earlierBy
  const shifted = (
    ms: number,
    budget: StepBudget,
    find: (ms: number) => Date | null | undefined,
  ): number | undefined => {
    const byMs = shift(ms)
    const found = find(ms - byMs)
    // The parser looks at every month in between, and at a thousand years of them before it gives up.
    const looked = found instanceof Date ? Math.abs(found.getTime() + byMs - ms) : cycleMs
    budget.spend(1 + Math.floor(looked / yearMs))
    return found instanceof Date ? found.getTime() + byMs : undefined
  }
  return {
    after: (ms, budget) => shifted(ms, budget, (at) => cron.nextRun(new Date(at))),
    // The parser looks at whole seconds; rounding up keeps an occurrence within the very second.
    before: (ms, budget) =>
      shifted(ms, budget, (at) => cron.previousRuns(1, new Date(Math.ceil(at / secondMs) * secondMs))[0]),
  }
}

export const cronSequence = (rule: CronRule): Sequence =>
  zoned(localSequence(rule.expression), rule.zone, rule.dst ?? defaultDstPolicy)
