/**
 * Reads an unconsumed state by its ref.
 */
import { CarillonError } from '../../errors/CarillonError.js'
import type { AnyStateDefinition } from '../../ledger/StateDefinition.js'
import { showRef, type StateRef } from '../../ledger/StateRef.js'
import { valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'
import { stateAt } from '../stateAt.js'
import type { FlowReads } from '../FlowReads.js'

export type Load = { readonly kind: 'load'; readonly definition: AnyStateDefinition; readonly ref: StateRef }

export const load = defineOperation<Load, FlowReads>({
  kind: 'load',
  isRead: true,
  identity: ({ definition, ref }) => ({ type: definition.type, ref }),
  label: ({ definition, ref }) => `load ${definition.type} ${showRef(ref)}`,
  decide: (reads, { definition, ref }) => {
    const { row, state } = stateAt(reads, definition, ref)
    if (row.consumedBy === null) return valueAnswer(state)
    const text = showRef(ref)
    const consumedBy = reads.views.transactions.get(row.consumedBy)?.id ?? 'another transaction'
    throw new CarillonError('state-consumed', `State ${text} was already consumed by transaction ${consumedBy}.`, {
      ref: text,
      consumedBy,
    })
  },
  // Whether it was consumed later does not matter: at the time it was not, and its data never changes.
  revive: (reads, { definition, ref }) => stateAt(reads, definition, ref).state,
})
