/**
 * Who may consume or reserve a state: the flow that has reserved it, or any flow while none has. What others have made
 * final is recorded all the same.
 */
import { CarillonError } from '../errors/CarillonError.js'
import { showRef } from '../ledger/StateRef.js'
import type { FlowId } from '../log/FlowId.js'
import type { StateRow } from '../vault/StateRow.js'
import type { FlowReads } from './FlowReads.js'

/** Throws `state-locked` when another flow has reserved one of the states. */
export const checkLocks = ({ views }: FlowReads, rows: readonly StateRow[], flow: FlowId): void => {
  for (const { seq, ref } of rows) {
    const holder = views.softLocks.holderOf(seq)
    if (holder === undefined || holder === flow) continue
    const text = showRef(ref)
    const name = views.flows.find(holder)?.name
    throw new CarillonError(
      'state-locked',
      `State ${text} is reserved by flow ${name === undefined ? holder : `${name} (${holder})`}. Choose another, or try again when that flow has ended or given it back.`,
      { ref: text, flow: holder },
    )
  }
}
