/**
 * What a decision about recording a transaction depends on. It is read-only: a decider returns events or refuses, and
 * changes nothing.
 */
import type { AssessmentReads } from '../ledger/assess.js'
import type { SignedTransaction } from '../ledger/SignedTransaction.js'
import type { TransactionBody } from '../ledger/Transaction.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import type { NotaryReads } from '../notary/NotaryReads.js'
import type { SessionReads } from '../session/SessionReads.js'

export type FinalityReads = SessionReads &
  NotaryReads &
  AssessmentReads & {
    /** A recorded transaction with its signatures, as it can be shown to another party. */
    readonly signedTransaction: (id: TransactionId) => SignedTransaction
    /** The body of a recorded transaction, also of one that the current tick records. */
    readonly transactionBody: (id: TransactionId) => TransactionBody
  }
