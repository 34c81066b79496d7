/**
 * This party's signature over a transaction of which it was shown a part.
 */
import type { TransactionId } from '../../ledger/TransactionId.js'
import { valueAnswer } from '../../flow/Answer.js'
import { defineOperation } from '../../flow/defineOperation.js'
import type { NotaryReads } from '../NotaryReads.js'

export type SignId = { readonly kind: 'signId'; readonly id: TransactionId }

export const signId = defineOperation<SignId, NotaryReads>({
  kind: 'signId',
  signs: true,
  identity: ({ id }) => ({ transaction: id }),
  label: ({ id }) => `sign ${id}, having seen a part`,
  decide: ({ sign }, { id }) => {
    const signature = sign('transaction', id)
    return valueAnswer(signature, signature)
  },
})
