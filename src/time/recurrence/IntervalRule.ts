/**
 * Every so many milliseconds of elapsed time, in step with a phase. The grid reaches both ways from the phase and
 * knows no zone: an interval of a day is 24 hours, whatever the clocks on the wall do.
 */
import * as t from 'io-ts'
import { IntegerC } from '../../encoding/IntegerC.js'
import { InstantC, toMillis } from '../Instant.js'
import { leastSpacingMs } from './leastSpacing.js'
import { refuse } from './refuse.js'
import type { Sequence } from './Sequence.js'

export const IntervalRuleC = t.readonly(
  t.strict({ kind: t.literal('interval'), everyMs: IntegerC, phase: InstantC }),
  'IntervalRule',
)
export type IntervalRule = t.TypeOf<typeof IntervalRuleC>

export const intervalSequence = ({ everyMs, phase }: IntervalRule): Sequence => {
  if (everyMs < leastSpacingMs)
    return refuse(`interval of ${everyMs} ms`, `an interval is at least ${leastSpacingMs} ms long.`)
  const phaseMs = toMillis(phase)
  return {
    after: (ms, budget) => {
      budget.spend(1)
      return phaseMs + (Math.floor((ms - phaseMs) / everyMs) + 1) * everyMs
    },
    before: (ms, budget) => {
      budget.spend(1)
      return phaseMs + (Math.ceil((ms - phaseMs) / everyMs) - 1) * everyMs
    },
  }
}
