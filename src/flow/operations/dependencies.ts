/**
 * The dependencies of a transaction that this node does not hold.
 */
import type { SignedTransaction } from '../../ledger/SignedTransaction.js'
import { dependenciesOf, sealBody } from '../../ledger/Transaction.js'
import { checkNotaryTrusted } from '../../vault/checkNotary.js'
import { valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'
import { bytesOfIds } from '../recordedBytes.js'

export type Dependencies = { readonly kind: 'dependencies'; readonly signed: SignedTransaction }

export const dependencies = defineOperation<Dependencies>({
  kind: 'dependencies',
  isRead: true,
  identity: ({ signed }) => ({ transaction: sealBody(signed.body).id }),
  label: () => 'find missing dependencies',
  perform: (decision, { signed: { body } }) => {
    checkNotaryTrusted(decision, body)
    const missing = dependenciesOf(body).filter((id) => decision.views.transactions.find(id) === undefined)
    return valueAnswer(missing, missing)
  },
  recordedBytes: (_operation, result) => bytesOfIds(result),
})
