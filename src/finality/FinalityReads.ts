/**
 * What a decision about recording a transaction depends on. It is read-only: a decider returns events or refuses, and
 * changes nothing.
 */
import type { AssessmentReads } from '../ledger/assess.js'
import type { SignedTransaction } from '../ledger/SignedTransaction.js'
import type { TransactionBody } from '../ledger/Transaction.js'
import type { TransactionBuilder } from '../ledger/TransactionBuilder.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import type { NotaryReads } from '../notary/NotaryReads.js'
import type { SessionLimits } from '../session/limits.js'
import type { SessionReads } from '../session/SessionReads.js'

export type FinalityReads = SessionReads &
  NotaryReads &
  AssessmentReads & {
    readonly limits: { readonly session: SessionLimits }
    /** A recorded transaction with its signatures, as it can be shown to another party. */
    readonly signedTransaction: (id: TransactionId) => SignedTransaction
    /** The body of a recorded transaction, also of one that the current tick records. */
    readonly transactionBody: (id: TransactionId) => TransactionBody
    /** In a replay: a transaction in the form in which it was recorded. Default: as the flow asks for it. */
    readonly asRecorded?: (draft: TransactionBuilder) => TransactionBuilder
  }
