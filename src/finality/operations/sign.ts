/**
 * This party's signature over a transaction that it was shown as a whole. Where it is the notary, its decision too. Keys
 * that the transaction is the first to take are reserved until the flow ends.
 */
import { orThrow } from '../../errors/Decision.js'
import { needsNotary, type SignedTransaction } from '../../ledger/SignedTransaction.js'
import { sealBody } from '../../ledger/Transaction.js'
import { notariseOwn, releaseOwn } from '../../notary/decideNotarisation.js'
import { factsAnswer } from '../../flow/Answer.js'
import { defineOperation } from '../../flow/defineOperation.js'
import { assertUnsigned } from '../assertUnsigned.js'
import { checkRecordable } from '../checkRecordable.js'
import type { FinalityReads } from '../FinalityReads.js'
import { resolveAccepted } from '../verifyContracts.js'

export type Sign = { readonly kind: 'sign'; readonly signed: SignedTransaction }

export const sign = defineOperation<Sign, FinalityReads>({
  kind: 'sign',
  signs: true,
  statesFacts: true,
  identity: ({ signed }) => ({ transaction: sealBody(signed.body).id }),
  label: ({ signed }) => `sign ${sealBody(signed.body).id}`,
  decide: (reads, { signed }, flow) => {
    const { body } = signed
    const { id } = sealBody(body)
    // Looked at again at the last moment: a check of the app may have taken its time.
    assertUnsigned(reads, id, body)
    const reserved = checkRecordable(reads, body, resolveAccepted(reads, id, body), flow)
    const isNotary = needsNotary(body) && body.notary.key === reads.me.key
    const decided = isNotary
      ? orThrow(notariseOwn(reads, signed))
      : body.newNotary === undefined
        ? []
        : orThrow(releaseOwn(reads, signed))
    const signature = reads.sign('transaction', id)
    const agreed = { type: 'TransactionSigned' as const, id, flow }
    // A change of notary freezes its states when its finality never comes; then any signer can complete it.
    const proposal = { body, signatures: [...signed.signatures, signature] }
    const kept = body.newNotary === undefined ? agreed : { ...agreed, proposal }
    return factsAnswer([...reserved, ...decided, kept], signature, signature)
  },
})
