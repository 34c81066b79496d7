/**
 * Gives back states that the flow has reserved.
 */
import type { StateRef } from '../../ledger/StateRef.js'
import { factsAnswer, valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'
import { lockRows } from '../lockRows.js'
import type { FlowReads } from '../FlowReads.js'

export type Unlock = { readonly kind: 'unlock'; readonly refs: readonly StateRef[] }

export const unlock = defineOperation<Unlock, FlowReads>({
  kind: 'unlock',
  identity: ({ refs }) => ({ refs }),
  label: ({ refs }) => `unlock ${refs.length} ${refs.length === 1 ? 'state' : 'states'}`,
  decide: (reads, { refs }, flow) => {
    const { softLocks } = reads.views
    const held = lockRows(reads, refs).filter(({ seq }) => softLocks.holderOf(seq) === flow)
    return held.length === 0
      ? valueAnswer(undefined)
      : factsAnswer([{ type: 'StatesUnlocked', flow, refs: held.map(({ ref }) => ref) }])
  },
})
