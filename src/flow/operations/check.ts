/**
 * Checks everything about a transaction, except that some keys have yet to sign.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import type { Decision } from '../../decision/Decision.js'
import type { PublicKey } from '../../identity/PublicKey.js'
import type { LedgerTransaction } from '../../ledger/LedgerTransaction.js'
import { checkSignatures, type SignedTransaction } from '../../ledger/SignedTransaction.js'
import { sealBody } from '../../ledger/Transaction.js'
import { checkKeysOf } from '../../vault/checkKeys.js'
import { checkNotary } from '../../vault/checkNotary.js'
import { examine, rememberAccepted } from '../../vault/examine.js'
import { checkUnconsumed } from '../../vault/recordSigned.js'
import { valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'

export type Check = {
  readonly kind: 'check'
  readonly signed: SignedTransaction
  readonly exceptKeys: readonly PublicKey[]
}

/** The transaction as its contracts see it, once its signatures and its contracts have been checked. */
const checked = (decision: Decision, { signed, exceptKeys }: Check, retired: boolean): LedgerTransaction => {
  const { id } = sealBody(signed.body)
  const signatures = checkSignatures(decision.network, id, signed, { except: exceptKeys, retired })
  if (isLeft(signatures)) throw signatures.left
  return examine(decision, id, signed.body)
}

export const check = defineOperation<Check>({
  kind: 'check',
  isRead: true,
  identity: ({ signed }) => ({ transaction: sealBody(signed.body).id }),
  label: () => 'check a transaction',
  perform: (decision, operation) => {
    const { body } = operation.signed
    const { id } = sealBody(body)
    // True now, and not asked again when the flow is run over its record: by then the answer may be another.
    checkNotary(decision, body)
    checkUnconsumed(decision, id, body)
    const transaction = checked(decision, operation, false)
    checkKeysOf(decision, transaction)
    rememberAccepted(decision, id, transaction)
    return valueAnswer(transaction)
  },
  // A signature that was good then is good, although its party may have changed its key since.
  revive: (decision, operation) => checked(decision, operation, true),
})
