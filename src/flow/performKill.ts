/**
 * Ends the flow that a state's activity has started, at the wish of another flow. It is the same fact as when an
 * operator kills a flow, with the flow's name in the place of the operator's.
 */
import type { Decision } from '../decision/Decision.js'
import { requireRow } from '../vault/resolveBody.js'
import { instantFromMillis } from '../time/Instant.js'
import { valueAnswer, type Answer } from './Answer.js'
import { flowIdOfOccurrence, type FlowId } from './FlowId.js'
import { hasEnded } from './FlowRow.js'
import { endKilled } from './endKilled.js'
import type { Operation } from './Operation.js'

export const performKill = (
  decision: Decision,
  flow: FlowId,
  { ref }: Extract<Operation, { readonly kind: 'kill' }>,
): Answer => {
  const { flows } = decision.views
  const { dueMs, attempt } = requireRow(decision, ref)
  const target = dueMs === null ? undefined : flows.find(flowIdOfOccurrence(ref, instantFromMillis(dueMs), attempt))
  // A flow that is itself the activity's has its own way to end: it returns.
  if (target === undefined || hasEnded(target) || target.id === flow) return valueAnswer(false, false)
  endKilled(decision, target, `flow ${flows.find(flow)?.name ?? ''} (${flow})`)
  return valueAnswer(true, true)
}
