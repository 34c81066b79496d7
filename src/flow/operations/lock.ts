/**
 * Reserves states for the flow: all of them or none.
 */
import { CarillonError } from '../../errors/CarillonError.js'
import { showRef, type StateRef } from '../../ledger/StateRef.js'
import { factsAnswer, valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'
import { checkLocks } from '../checkLocks.js'
import { lockRows } from '../lockRows.js'
import type { FlowReads } from '../FlowReads.js'

export type Lock = { readonly kind: 'lock'; readonly refs: readonly StateRef[] }

export const lock = defineOperation<Lock, FlowReads>({
  kind: 'lock',
  statesFacts: true,
  identity: ({ refs }) => ({ refs }),
  label: ({ refs }) => `lock ${refs.length} ${refs.length === 1 ? 'state' : 'states'}`,
  decide: (reads, { refs }, flow) => {
    const { softLocks, transactions } = reads.views
    const rows = lockRows(reads, refs)
    for (const { ref, consumedBy } of rows) {
      if (consumedBy === null) continue
      const text = showRef(ref)
      throw new CarillonError('state-consumed', `State ${text} was already consumed; it cannot be reserved.`, {
        ref: text,
        consumedBy: transactions.get(consumedBy)?.id ?? 'another transaction',
      })
    }
    checkLocks(reads, rows, flow)
    const free = rows.filter(({ seq }) => softLocks.holderOf(seq) === undefined).map(({ ref }) => ref)
    return free.length === 0 ? valueAnswer(undefined) : factsAnswer([{ type: 'StatesLocked', flow, refs: free }])
  },
})
