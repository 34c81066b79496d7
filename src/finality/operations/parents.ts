/**
 * The transactions that some transactions build on directly.
 */
import { dependenciesOf } from '../../ledger/Transaction.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import { valueAnswer } from '../../flow/Answer.js'
import { defineOperation } from '../../flow/defineOperation.js'
import { bytesOfIds } from '../../flow/recordedBytes.js'
import type { FinalityReads } from '../FinalityReads.js'

export type Parents = { readonly kind: 'parents'; readonly ids: readonly TransactionId[] }

export const parents = defineOperation<Parents, FinalityReads>({
  kind: 'parents',
  identity: ({ ids }) => ({ ids }),
  label: () => 'find what transactions build on',
  decide: (reads, { ids }) => {
    const found = [...new Set(ids.flatMap((id) => dependenciesOf(reads.signedTransaction(id).body)))]
    return valueAnswer(found, found)
  },
  recordedBytes: (_operation, result) => bytesOfIds(result),
})
