/**
 * The dependencies of a transaction that this node does not hold.
 */
import type { SignedTransaction } from '../../ledger/SignedTransaction.js'
import { dependenciesOf, sealBody } from '../../ledger/Transaction.js'
import { checkNotaryTrusted } from '../../vault/checkNotary.js'
import { valueAnswer } from '../../flow/Answer.js'
import { defineOperation } from '../../flow/defineOperation.js'
import { bytesOfIds } from '../../flow/recordedBytes.js'
import type { FinalityReads } from '../FinalityReads.js'

export type Dependencies = { readonly kind: 'dependencies'; readonly signed: SignedTransaction }

export const dependencies = defineOperation<Dependencies, FinalityReads>({
  kind: 'dependencies',
  isRead: true,
  identity: ({ signed }) => ({ transaction: sealBody(signed.body).id }),
  label: () => 'find missing dependencies',
  decide: (reads, { signed: { body } }) => {
    checkNotaryTrusted(reads, body)
    const missing = dependenciesOf(body).filter((id) => reads.views.transactions.find(id) === undefined)
    return valueAnswer(missing, missing)
  },
  recordedBytes: (_operation, result) => bytesOfIds(result),
})
