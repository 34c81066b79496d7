/**
 * Waits until a transaction is recorded by this node.
 */
import { CarillonError } from '../../errors/CarillonError.js'
import { TransactionIdC, type TransactionId } from '../../ledger/TransactionId.js'
import { valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'
import type { FlowReads } from '../FlowReads.js'
import { untilAfter } from '../waiting.js'

export type WaitForTransaction = {
  readonly kind: 'waitForTransaction'
  readonly transaction: TransactionId
  readonly withinMs: number | undefined
}

export const waitForTransaction = defineOperation<WaitForTransaction, FlowReads>({
  kind: 'waitForTransaction',
  isRead: true,
  identity: ({ transaction, withinMs }) => ({ transaction, withinMs }),
  label: ({ transaction }) => `wait for transaction ${transaction}`,
  decide: (reads, { transaction, withinMs }) => {
    if (!TransactionIdC.is(transaction))
      throw new CarillonError(
        'wait-invalid',
        'A flow can wait for a transaction that is given by its id, 64 hex digits.',
      )
    return reads.views.transactions.find(transaction) === undefined
      ? { kind: 'transaction', transaction, untilMs: untilAfter(reads.nowMs, withinMs) }
      : valueAnswer(transaction, transaction)
  },
  revive: (_reads, _operation, { result }) => result ?? undefined,
})
