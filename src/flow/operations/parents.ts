/**
 * The transactions that some transactions build on directly.
 */
import { dependenciesOf } from '../../ledger/Transaction.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import { valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'
import { bytesOfIds } from '../recordedBytes.js'

export type Parents = { readonly kind: 'parents'; readonly ids: readonly TransactionId[] }

export const parents = defineOperation<Parents>({
  kind: 'parents',
  identity: ({ ids }) => ({ ids }),
  label: () => 'find what transactions build on',
  perform: (decision, { ids }) => {
    const found = [...new Set(ids.flatMap((id) => dependenciesOf(decision.signedTransaction(id).body)))]
    return valueAnswer(found, found)
  },
  recordedBytes: (_operation, result) => bytesOfIds(result),
})
