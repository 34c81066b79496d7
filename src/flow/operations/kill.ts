/**
 * Ends the flow that a state's activity has started. It is the same fact as when an operator kills a flow, with the name
 * of the flow that asked in the place of the operator's.
 */
import { showRef, type StateRef } from '../../ledger/StateRef.js'
import { instantFromMillis } from '../../time/Instant.js'
import { requireRow } from '../../vault/resolveBody.js'
import { valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'
import { endKilled } from '../endKilled.js'
import { flowIdOfOccurrence } from '../../log/FlowId.js'
import { hasEnded } from '../FlowRow.js'

export type Kill = { readonly kind: 'kill'; readonly ref: StateRef }

export const kill = defineOperation<Kill>({
  kind: 'kill',
  statesFacts: true,
  identity: ({ ref }) => ({ ref }),
  label: ({ ref }) => `kill the flow of ${showRef(ref)}`,
  perform: (decision, { ref }, flow) => {
    const { flows } = decision.views
    const { seq } = requireRow(decision, ref)
    const { dueMs, attempt } = decision.views.activities.get(seq)
    const target = dueMs === null ? undefined : flows.find(flowIdOfOccurrence(ref, instantFromMillis(dueMs), attempt))
    // The flow of the activity itself has another way to end: it returns.
    if (target === undefined || hasEnded(target) || target.id === flow) return valueAnswer(false, false)
    endKilled(decision, target, `flow ${flows.find(flow)?.name ?? ''} (${flow})`)
    return valueAnswer(true, true)
  },
})
