/**
 * Waits until a state is consumed, and gives the id of the transaction that has done it.
 */
import { CarillonError } from '../../errors/CarillonError.js'
import { showRef, StateRefC, type StateRef } from '../../ledger/StateRef.js'
import { valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'
import type { FlowReads } from '../FlowReads.js'
import { untilAfter } from '../waiting.js'

export type WaitForConsumption = {
  readonly kind: 'waitForConsumption'
  readonly ref: StateRef
  readonly withinMs: number | undefined
}

export const waitForConsumption = defineOperation<WaitForConsumption, FlowReads>({
  kind: 'waitForConsumption',
  isRead: true,
  identity: ({ ref, withinMs }) => ({ ref, withinMs }),
  label: ({ ref }) => `wait until ${showRef(ref)} is consumed`,
  decide: (reads, { ref, withinMs }) => {
    if (!StateRefC.is(ref))
      throw new CarillonError(
        'wait-invalid',
        'A flow can wait for the consumption of a state that is given by its ref.',
      )
    const row = reads.views.states.find(ref)
    if (row === undefined)
      throw new CarillonError('state-unknown', `This node holds no state ${showRef(ref)}.`, { ref: showRef(ref) })
    const by = row.consumedBy === null ? undefined : reads.views.transactions.get(row.consumedBy)?.id
    return by === undefined
      ? { kind: 'consumption', ref, untilMs: untilAfter(reads.nowMs, withinMs) }
      : valueAnswer(by, by)
  },
  revive: (_reads, _operation, { result }) => result ?? undefined,
})
