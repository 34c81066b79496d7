/**
 * Whether a transaction is taken at all. What is refused here costs nothing and leaves no trace.
 */
import * as t from 'io-ts'
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
import { SignatureMapC, witness } from '../model/SignatureMap.js'
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
export const hasSigned = (
  key: Account['key'],
  { body, sigMap }: SignedTransaction<unknown>,
  { ledgerID }: Settings,
): boolean => isSignedBy(key, witness(sigMap, primitivesOf([key]), signedTextOf(ledgerID, body)).signed)

/** Takes a place in the bucket of an operation, if there is one left. */
export const takePlaceFor = function* (books: Books, kind: string, settings: Settings): FlowBody<boolean> {
  const taken = takePlace(yield* books.consensus(), kind, books.now.seconds, settings)
  if (taken !== undefined) yield* books.setConsensus(taken)
  return taken !== undefined
}

const OperationC = t.type({ sigMap: SignatureMapC })
/** A key, wherever an operation names it: as an admin key, or in the text of what it schedules. */
const keyPattern = /ed25519:[0-9a-f]{64}/g

/** What signatures besides the payer's first one cost, and keys. */
const extraPrice = ({ body, sigMap }: SignedTransaction<unknown>, settings: Settings): number => {
  const { operation } = body
  const onSchedule = OperationC.is(operation) ? operation.sigMap.length : 0
  const keys = canonicalText(operation).match(keyPattern)?.length ?? 0
  return (Math.max(0, sigMap.length - 1) + onSchedule) * settings.signaturePrice + keys * settings.keyPrice
}

export const precheck = function* (
  books: Books,
  signed: SignedTransaction<unknown>,
  kind: string,
): FlowBody<Either<ResponseCode, Prechecked>> {
  const settings = yield* books.settings()
  const bytes = Buffer.byteLength(canonicalText(signed))
  if (bytes > settings.maxTransactionBytes) return refuse('TRANSACTION_OVERSIZE')
  books.reserve(bytes)
  const problem = bodyProblem(signed.body, books.now)
  if (problem !== undefined) return refuse(problem)
  const payer = yield* findPayer(books, signed.body, kind, settings)
  if (isLeft(payer)) return payer
  if (!hasSigned(payer.right.key, signed, settings)) return refuse('INVALID_PAYER_SIGNATURE')
  const id = showTransactionID(signed.body.transactionID)
  if ((yield* books.records.get(books.io, id)) !== undefined) return refuse('DUPLICATE_TRANSACTION')
  const { base, service } = priceOf(kind, settings)
  const fee = base + service + extraPrice(signed, settings)
  if (signed.body.transactionFee !== undefined && signed.body.transactionFee < fee) return refuse('INSUFFICIENT_TX_FEE')
  if (payer.right.balance < fee) return refuse('INSUFFICIENT_PAYER_BALANCE')
  const isTaken = isSystem(payer.right.accountID) || (yield* takePlaceFor(books, kind, settings))
  return isTaken ? right({ payer: payer.right, settings, fee }) : refuse('BUSY')
}
