/**
 * Explicit instants, written down one by one. Order and duplicates do not matter.
 */
import * as t from 'io-ts'
import { InstantC, toMillis } from '../Instant.js'
import { ofPoints, type Sequence } from './Sequence.js'

export const InstantsRuleC = t.readonly(
  t.strict({ kind: t.literal('instants'), at: t.readonlyArray(InstantC) }),
  'InstantsRule',
)
export type InstantsRule = t.TypeOf<typeof InstantsRuleC>

export const instantsSequence = (rule: InstantsRule): Sequence => ofPoints(rule.at.map(toMillis))
