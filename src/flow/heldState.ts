/**
 * A flow that holds its state, because its definition says so, has reserved the state of its activity while one of its
 * steps is under way: no other flow of this node can consume it meanwhile. It has not while it only waits.
 */
import { CarillonError } from '../errors/CarillonError.js'
import { showRef } from '../ledger/StateRef.js'
import type { EventOf, Waits } from '../log/events.js'
import { checkLocks } from './checkLocks.js'
import type { FlowReads } from './FlowReads.js'
import type { FlowRow } from './FlowRow.js'

/** Whether a step was refused because its flow could not hold its state; such a step has not begun. */
export const isHoldRefusal = (error: { readonly code: string } | undefined): boolean =>
  error !== undefined && (error.code === 'state-locked' || error.code === 'state-consumed')

/** The fact that a flow takes the state of its activity; none when it has it already. Throws when it cannot be had. */
export const takeState = (
  reads: FlowReads,
  { id, stateSeq }: Pick<FlowRow, 'id' | 'stateSeq'>,
): readonly EventOf<'StatesLocked'>[] => {
  if (stateSeq === null) return []
  const { states, softLocks, transactions } = reads.views
  const state = states.get(stateSeq)
  if (state.consumedBy !== null) {
    const ref = showRef(state.ref)
    throw new CarillonError(
      'state-consumed',
      `State ${ref}, whose activity started this flow, was consumed before the flow could hold it for its next step.`,
      { ref, consumedBy: transactions.get(state.consumedBy)?.id ?? 'another transaction' },
    )
  }
  checkLocks(reads, [state], id)
  return softLocks.holderOf(stateSeq) === id ? [] : [{ type: 'StatesLocked', flow: id, refs: [state.ref] }]
}

/** The fact that a flow gives the state of its activity back, because it waits for something that may take long. */
export const giveBackState = (
  { views: { states, softLocks } }: FlowReads,
  { id, stateSeq }: Pick<FlowRow, 'id' | 'stateSeq'>,
  waits: Waits,
): readonly EventOf<'StatesUnlocked'>[] => {
  if (stateSeq === null || waits.some((waiting) => waiting.for === 'step' || waiting.for === 'turn')) return []
  if (softLocks.holderOf(stateSeq) !== id) return []
  return [{ type: 'StatesUnlocked', flow: id, refs: [states.get(stateSeq).ref] }]
}
