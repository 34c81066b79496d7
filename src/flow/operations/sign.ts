/**
 * This party's signature over a transaction. Where it is the notary, its decision too.
 */
import { signTransaction } from '../../ledger/signatures.js'
import { needsNotary, type SignedTransaction } from '../../ledger/SignedTransaction.js'
import { sealBody } from '../../ledger/Transaction.js'
import { notariseOwn, signChange } from '../../notary/decideNotarisation.js'
import { valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'

export type Sign = { readonly kind: 'sign'; readonly signed: SignedTransaction }

export const sign = defineOperation<Sign>({
  kind: 'sign',
  signs: true,
  identity: ({ signed }) => ({ transaction: sealBody(signed.body).id }),
  label: ({ signed }) => `sign ${sealBody(signed.body).id}`,
  perform: (decision, { signed }) => {
    const { body } = signed
    const isNotary = needsNotary(body) && body.notary.key === decision.me.key
    const signature = isNotary
      ? notariseOwn(decision, signed)
      : body.newNotary === undefined
        ? signTransaction(decision.key, decision.network.id, sealBody(body).id)
        : signChange(decision, signed)
    return valueAnswer(signature, signature)
  },
})
