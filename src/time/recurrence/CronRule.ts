/**
 * A cron expression: five fields, six with seconds in front, seven with years behind; names, lists, steps, `L`,
 * `W` and `#`, and nicknames such as `@daily`. It speaks of local time in its zone.
 */
import * as t from 'io-ts'
import { Cron } from 'croner'
import { messageOf } from '../../errors/CarillonError.js'
import { ZoneC } from '../Zone.js'
import { defaultDstPolicy, DstPolicyC } from './DstPolicy.js'
import { refuse } from './refuse.js'
import type { Sequence } from './Sequence.js'
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
  try {
    // In UTC the parser's time is plain arithmetic; the zone is applied afterwards, under a policy of our own.
    return new Cron(expression, { utcOffset: 0, paused: true })
  } catch (error) {
    return refuse(`cron "${expression}"`, messageOf(error))
  }
}

const secondMs = 1_000

const localSequence = (expression: string): Sequence => {
  const cron = parse(expression)
  return {
    after: (ms) => cron.nextRun(new Date(ms))?.getTime(),
    // The parser looks at whole seconds; rounding up keeps an occurrence within the very second.
    before: (ms) => cron.previousRuns(1, new Date(Math.ceil(ms / secondMs) * secondMs))[0]?.getTime(),
  }
}

export const cronSequence = (rule: CronRule): Sequence =>
  zoned(localSequence(rule.expression), rule.zone, rule.dst ?? defaultDstPolicy)
