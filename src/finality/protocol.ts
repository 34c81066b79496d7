/**
 * What parties say to each other while they agree on a transaction.
 */
import * as t from 'io-ts'
import { TransactionSignatureC } from '../ledger/signatures.js'
import { SignedTransactionC } from '../ledger/SignedTransaction.js'
import { TearOffC } from '../ledger/TearOff.js'
import { TransactionIdC } from '../ledger/TransactionId.js'

/** Please sign this. */
export const SignRequestC = t.strict({ type: t.literal('sign'), transaction: SignedTransactionC })
/** Please sign the transaction that this is a part of. */
export const PartRequestC = t.strict({ type: t.literal('signPart'), tearOff: TearOffC })
/** This is final; please record it. */
export const FinalityC = t.strict({ type: t.literal('finality'), transaction: SignedTransactionC })

/** I do not know these transactions, which yours builds on. */
export const FetchC = t.strict({ type: t.literal('fetch'), ids: t.readonlyArray(TransactionIdC) })
export const SignatureC = t.strict({ type: t.literal('signature'), signature: TransactionSignatureC })
export const RefusedC = t.strict({ type: t.literal('refused'), reason: t.string })
export const RecordedC = t.strict({ type: t.literal('recorded') })

/** These are the next of its ancestors, newest first; which of them do you hold already? */
export const AncestorsC = t.strict({ type: t.literal('ancestors'), ids: t.readonlyArray(TransactionIdC) })
export const HeldC = t.strict({ type: t.literal('held'), ids: t.readonlyArray(TransactionIdC) })
/** Some of what you lack, oldest first; more follow. */
export const HistoryC = t.strict({ type: t.literal('history'), transactions: t.readonlyArray(SignedTransactionC) })
export const HistoryEndC = t.strict({ type: t.literal('historyEnd') })
