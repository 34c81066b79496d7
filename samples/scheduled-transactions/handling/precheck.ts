/**
 * Whether a transaction is taken at all. What is refused here costs nothing and leaves no trace.
 */
import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { canonicalText, type FlowBody } from 'carillon'
import type { Books } from '../Books.js'
import type { Account } from '../model/Account.js'
import { takePlace } from '../model/Consensus.js'
import { isSignedBy, primitivesOf } from '../model/KeyTree.js'
import { memoProblem } from '../model/memoProblem.js'
import { refuse, type ResponseCode } from '../model/ResponseCode.js'
import {
  defaultValidDurationSecs,
  isSystem,
  longestValidDurationSecs,
  priceOf,
  type Settings,
} from '../model/Settings.js'
import { witness } from '../model/SignatureMap.js'
import { compare, type Timestamp } from '../model/Timestamp.js'
import { signedTextOf, type SignedTransaction, type TransactionBody } from '../model/TransactionBody.js'
import { showTransactionID } from '../model/TransactionID.js'

export type Prechecked = { readonly payer: Account; readonly settings: Settings; readonly fee: number }

/** What is wrong with a transaction whatever the ledger holds. */
const bodyProblem = (body: TransactionBody<unknown>, now: Timestamp): ResponseCode | undefined => {
  const { transactionID, transactionValidDuration = defaultValidDurationSecs, memo = '' } = body
  if (transactionID.scheduled === true || (transactionID.nonce ?? 0) !== 0) return 'TRANSACTION_ID_FIELD_NOT_ALLOWED'
  if (body.maxCustomFees !== undefined) return 'MAX_CUSTOM_FEES_IS_NOT_SUPPORTED'
  const memoIsWrong = memoProblem(memo)
  if (memoIsWrong !== undefined) return memoIsWrong
  if (transactionValidDuration < 1 || transactionValidDuration > longestValidDurationSecs)
    return 'INVALID_TRANSACTION_DURATION'
  const start = transactionID.transactionValidStart
  if (compare(start, now) > 0) return 'INVALID_TRANSACTION_START'
  const end = { seconds: start.seconds + transactionValidDuration, nanos: start.nanos }
  return compare(end, now) > 0 ? undefined : 'TRANSACTION_EXPIRED'
}

const findPayer = function* (
  books: Books,
  { transactionID }: TransactionBody<unknown>,
  kind: string,
  { onIdentical }: Settings,
): FlowBody<Either<ResponseCode, Account>> {
  const account = yield* books.account(transactionID.accountID)
  if (account !== undefined && !account.deleted) return right(account)
  if (kind === 'scheduleCreate' && onIdentical === 'merge') return refuse('INVALID_SCHEDULE_ACCOUNT_ID')
  return refuse(account === undefined ? 'PAYER_ACCOUNT_NOT_FOUND' : 'PAYER_ACCOUNT_DELETED')
}

/** Whether a key has signed the transaction itself. */
export const hasSigned = (key: Account['key'], { body, sigMap }: SignedTransaction<unknown>): boolean =>
  isSignedBy(key, witness(sigMap, primitivesOf([key]), signedTextOf(body)).signed)

/** Takes a place in the bucket of an operation, if there is one left. */
export const takePlaceFor = function* (books: Books, kind: string, settings: Settings): FlowBody<boolean> {
  const taken = takePlace(yield* books.consensus(), kind, books.now.seconds, settings)
  if (taken !== undefined) yield* books.setConsensus(taken)
  return taken !== undefined
}

export const precheck = function* (
  books: Books,
  signed: SignedTransaction<unknown>,
  kind: string,
  /** How many signatures on a schedule are to be checked. */
  signatures: number,
): FlowBody<Either<ResponseCode, Prechecked>> {
  const settings = yield* books.settings()
  const bytes = Buffer.byteLength(canonicalText(signed))
  if (bytes > settings.maxTransactionBytes) return refuse('TRANSACTION_OVERSIZE')
  books.reserve(bytes)
  const problem = bodyProblem(signed.body, books.now)
  if (problem !== undefined) return refuse(problem)
  const payer = yield* findPayer(books, signed.body, kind, settings)
  if (isLeft(payer)) return payer
  if (!hasSigned(payer.right.key, signed)) return refuse('INVALID_PAYER_SIGNATURE')
  const id = showTransactionID(signed.body.transactionID)
  if ((yield* books.records.get(books.io, id)) !== undefined) return refuse('DUPLICATE_TRANSACTION')
  const { base, service } = priceOf(kind, settings)
  const fee = base + service + signatures * settings.signaturePrice
  if (signed.body.transactionFee !== undefined && signed.body.transactionFee < fee) return refuse('INSUFFICIENT_TX_FEE')
  if (payer.right.balance < fee) return refuse('INSUFFICIENT_PAYER_BALANCE')
  const isTaken = isSystem(payer.right.accountID) || (yield* takePlaceFor(books, kind, settings))
  return isTaken ? right({ payer: payer.right, settings, fee }) : refuse('BUSY')
}
