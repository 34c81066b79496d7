/**
 * Ends the flow that a state's activity has started. It is the same fact as when an operator kills a flow, with the name
 * of the flow that asked in the place of the operator's.
 */
import { showRef, type StateRef } from '../../ledger/StateRef.js'
import { instantFromMillis } from '../../time/Instant.js'
import { requireRow } from '../../vault/resolveBody.js'
import { factsAnswer, valueAnswer } from '../../flow/Answer.js'
import { defineOperation } from '../../flow/defineOperation.js'
import { endKilled } from '../../session/endKilled.js'
import { flowIdOfOccurrence } from '../../log/FlowId.js'
import { hasEnded } from '../../flow/FlowRow.js'
import type { AgendaReads } from '../AgendaReads.js'

export type Kill = { readonly kind: 'kill'; readonly ref: StateRef }

export const kill = defineOperation<Kill, AgendaReads>({
  kind: 'kill',
  statesFacts: true,
  identity: ({ ref }) => ({ ref }),
  label: ({ ref }) => `kill the flow of ${showRef(ref)}`,
  decide: (reads, { ref }, flow) => {
    const { activities, flows } = reads.views
    const { dueMs, attempt } = activities.get(requireRow(reads, ref).seq)
    const target = dueMs === null ? undefined : flows.find(flowIdOfOccurrence(ref, instantFromMillis(dueMs), attempt))
    // The flow of the activity itself has another way to end: it returns.
    if (target === undefined || hasEnded(target) || target.id === flow) return valueAnswer(false, false)
    return factsAnswer(endKilled(reads, target, `flow ${flows.find(flow)?.name ?? ''} (${flow})`), true, true)
  },
})
