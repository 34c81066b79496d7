/**
 * This party's signature over a transaction of which it was shown a part.
 */
import { signTransaction } from '../../ledger/signatures.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import { valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'

export type SignId = { readonly kind: 'signId'; readonly id: TransactionId }

export const signId = defineOperation<SignId>({
  kind: 'signId',
  signs: true,
  identity: ({ id }) => ({ transaction: id }),
  label: ({ id }) => `sign ${id}, having seen a part`,
  perform: ({ key, network }, { id }) => {
    const signature = signTransaction(key, network.id, id)
    return valueAnswer(signature, signature)
  },
})
