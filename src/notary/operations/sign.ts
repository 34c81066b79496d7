/**
 * This party's signature over a transaction. Where it is the notary, its decision too.
 */
import { needsNotary, type SignedTransaction } from '../../ledger/SignedTransaction.js'
import { sealBody } from '../../ledger/Transaction.js'
import { notariseOwn, releaseOwn } from '../decideNotarisation.js'
import { factsAnswer } from '../../flow/Answer.js'
import { defineOperation } from '../../flow/defineOperation.js'
import type { NotaryReads } from '../NotaryReads.js'

export type Sign = { readonly kind: 'sign'; readonly signed: SignedTransaction }

export const sign = defineOperation<Sign, NotaryReads>({
  kind: 'sign',
  signs: true,
  identity: ({ signed }) => ({ transaction: sealBody(signed.body).id }),
  label: ({ signed }) => `sign ${sealBody(signed.body).id}`,
  decide: (reads, { signed }) => {
    const { body } = signed
    const isNotary = needsNotary(body) && body.notary.key === reads.me.key
    const events = isNotary ? notariseOwn(reads, signed) : body.newNotary === undefined ? [] : releaseOwn(reads, signed)
    const signature = reads.sign('transaction', sealBody(body).id)
    return factsAnswer(events, signature, signature)
  },
})
