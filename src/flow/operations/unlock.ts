/**
 * Gives back states that the flow has reserved.
 */
import type { StateRef } from '../../ledger/StateRef.js'
import { valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'
import { lockRows } from '../lockRows.js'

export type Unlock = { readonly kind: 'unlock'; readonly refs: readonly StateRef[] }

export const unlock = defineOperation<Unlock>({
  kind: 'unlock',
  identity: ({ refs }) => ({ refs }),
  label: ({ refs }) => `unlock ${refs.length} ${refs.length === 1 ? 'state' : 'states'}`,
  perform: (decision, { refs }, flow) => {
    const { softLocks } = decision.views
    const held = lockRows(decision, refs).filter(({ seq }) => softLocks.holderOf(seq) === flow)
    if (held.length > 0) decision.emit({ type: 'StatesUnlocked', flow, refs: held.map(({ ref }) => ref) })
    return valueAnswer(undefined)
  },
})
