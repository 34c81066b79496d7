/**
 * A change of notary that this party has signed and whose finality is yet to come, from its own log.
 */
import { CarillonError } from '../../errors/CarillonError.js'
import type { TransactionSignature } from '../../ledger/signatures.js'
import type { SignedTransaction } from '../../ledger/SignedTransaction.js'
import { SignedTransactionC } from '../../ledger/SignedTransaction.js'
import { sealBody } from '../../ledger/Transaction.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import { valueAnswer } from '../../flow/Answer.js'
import { decodeResult } from '../../flow/decodeResult.js'
import { defineOperation } from '../../flow/defineOperation.js'
import { bytesOfTransaction } from '../../flow/recordedBytes.js'
import { resolveBody } from '../../vault/resolveBody.js'
import { participantsOf, type Proposal } from '../decideTransaction.js'
import type { FinalityReads } from '../FinalityReads.js'

export type NotaryChangeSigned = { readonly kind: 'notaryChangeSigned'; readonly id: TransactionId }

/** A proposal with the signatures it has. */
export type SignedProposal = { readonly proposal: Proposal; readonly signatures: readonly TransactionSignature[] }

const proposalOf = (reads: FinalityReads, { body, signatures }: SignedTransaction): SignedProposal => {
  const { id } = sealBody(body)
  const participants = participantsOf(resolveBody(reads, id, body))
  return { proposal: { kind: 'proposal', id, body, participants }, signatures }
}

export const notaryChangeSigned = defineOperation<NotaryChangeSigned, FinalityReads>({
  kind: 'notaryChangeSigned',
  identity: ({ id }) => ({ transaction: id }),
  label: ({ id }) => `find the change of notary ${id}`,
  decide: (reads, { id }) => {
    const signed = reads.views.proposals.notaryChange(id)
    if (signed === undefined)
      throw new CarillonError(
        'state-unknown',
        `${reads.me.name} has signed no change of notary ${id} that is yet to be final.`,
        { transaction: id },
      )
    return valueAnswer(proposalOf(reads, signed), signed)
  },
  revive: (reads, _operation, recorded) => proposalOf(reads, decodeResult(SignedTransactionC, recorded)),
  recordedBytes: (_operation, result) => bytesOfTransaction(result),
})
