/**
 * The dependencies of a transaction that this node does not hold. Before it asks for any, the transaction must be one that
 * it could accept: signed as far as it claims to be, under a trusted notary, and not pushed at it unasked.
 */
import type { PublicKey } from '../../identity/PublicKey.js'
import { orThrow } from '../../errors/Decision.js'
import { checkSignatures, needsNotary, type SignedTransaction } from '../../ledger/SignedTransaction.js'
import { dependenciesOf, sealBody } from '../../ledger/Transaction.js'
import { checkNotaryTrusted } from '../../vault/checkNotary.js'
import { valueAnswer } from '../../flow/Answer.js'
import { defineOperation } from '../../flow/defineOperation.js'
import { bytesOfIds } from '../../flow/recordedBytes.js'
import { assertAskedFor } from '../assertAsked.js'
import type { FinalityReads } from '../FinalityReads.js'

export type Dependencies = {
  readonly kind: 'dependencies'
  readonly signed: SignedTransaction
  /** Keys whose signatures may still be missing. */
  readonly exceptKeys: readonly PublicKey[]
  /** Whether no flow of this party has asked for it. */
  readonly isUnasked: boolean
}

export const dependencies = defineOperation<Dependencies, FinalityReads>({
  kind: 'dependencies',
  isRead: true,
  identity: ({ signed }) => ({ transaction: sealBody(signed.body).id }),
  label: () => 'find missing dependencies',
  decide: (reads, { signed, exceptKeys, isUnasked }) => {
    const { body } = signed
    const { id } = sealBody(body)
    if (isUnasked) assertAskedFor(reads, id)
    checkNotaryTrusted(reads, body)
    const isKnown = reads.views.transactions.find(id) !== undefined
    orThrow(
      checkSignatures(reads.network, id, signed, {
        except: exceptKeys,
        retired: isKnown || needsNotary(body),
      }),
    )
    const missing = dependenciesOf(body).filter((dependency) => reads.views.transactions.find(dependency) === undefined)
    return valueAnswer(missing, missing)
  },
  recordedBytes: (_operation, result) => bytesOfIds(result),
})
