/**
 * Checks everything about a transaction, except that some keys have yet to sign.
 */
import type { FinalityReads } from '../FinalityReads.js'
import { orThrow } from '../../errors/Decision.js'
import type { PublicKey } from '../../identity/PublicKey.js'
import type { LedgerTransaction } from '../../ledger/LedgerTransaction.js'
import { checkSignatures, type SignedTransaction } from '../../ledger/SignedTransaction.js'
import { sealBody } from '../../ledger/Transaction.js'
import { assertUnsigned } from '../assertUnsigned.js'
import { checkRecordable } from '../checkRecordable.js'
import { checkNotary } from '../../vault/checkNotary.js'
import { rememberAccepted, verifyContracts } from '../verifyContracts.js'
import { checkUnconsumed } from '../recordSigned.js'
import { valueAnswer } from '../../flow/Answer.js'
import { defineOperation } from '../../flow/defineOperation.js'

export type Check = {
  readonly kind: 'check'
  readonly signed: SignedTransaction
  readonly exceptKeys: readonly PublicKey[]
}

/** The transaction as its contracts see it, once its signatures and its contracts have been checked. */
const checked = (reads: FinalityReads, { signed, exceptKeys }: Check, retired: boolean): LedgerTransaction => {
  const { id } = sealBody(signed.body)
  orThrow(checkSignatures(reads.network, id, signed, { except: exceptKeys, retired }))
  return verifyContracts(reads, id, signed.body)
}

export const check = defineOperation<Check, FinalityReads>({
  kind: 'check',
  isRead: true,
  identity: ({ signed }) => ({ transaction: sealBody(signed.body).id }),
  label: () => 'check a transaction',
  decide: (reads, operation, flow) => {
    const { body } = operation.signed
    const { id } = sealBody(body)
    assertUnsigned(reads, id, body)
    // Who lost a race should hear that, and not that a contract is broken by stale data.
    checkNotary(reads, body)
    checkUnconsumed(reads, id, body)
    const transaction = checked(reads, operation, false)
    // True now, and not asked again when the flow is run over its record: by then the answer may be another.
    checkRecordable(reads, body, transaction, flow)
    rememberAccepted(reads, id, transaction)
    return valueAnswer(transaction)
  },
  // A signature that was good then is good, although its party may have changed its key since.
  revive: (reads, operation) => checked(reads, operation, true),
})
