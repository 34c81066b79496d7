/**
 * Handles one submitted transaction: precheck, a consensus time, the fee, the work, its record, and, when that
 * work has completed a schedule, the execution with a record of its own. All of it is one commit; what the
 * precheck refuses costs nothing and leaves no trace.
 */
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { canonicalText, defineFlow, type FlowBody, type FlowDefinition, type FlowIo } from 'carillon'
import { inBooks, type Books } from '../Books.js'
import type { Purpose } from '../kinds.js'
import type { Account } from '../model/Account.js'
import { takePlace } from '../model/Consensus.js'
import { memoProblem, refuse, ResponseCodeC, type ResponseCode } from '../model/ResponseCode.js'
import {
  defaultValidDurationSecs,
  isSystem,
  longestValidDurationSecs,
  priceOf,
  type Settings,
} from '../model/Settings.js'
import { SignatureMapC } from '../model/SignatureMap.js'
import {
  hashOf,
  hasSigned,
  signedTextOf,
  type SignedTransaction,
  type TransactionBody,
} from '../model/TransactionBody.js'
import type { Response, TransactionReceipt, TransactionRecord } from '../model/TransactionRecord.js'
import { compare, showTransactionID, type Timestamp } from '../model/ids.js'
import type { Occasion, ReadOperation, Receipted } from '../operations/Operation.js'

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

/** Whether a transaction is taken at all. What is refused here costs nothing and leaves no trace. */
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

/**
 * Lets an operation do its work. What it has changed is taken back when it refuses, and when it throws: code of an app
 * may, and a transaction that was taken must come to an end.
 */
export const performSafely = function* (
  books: Books,
  operation: ReadOperation,
  occasion: Occasion,
): FlowBody<Either<ResponseCode, Receipted>> {
  const putBack = books.mark()
  try {
    const performed = yield* operation.perform(books, occasion)
    // What one commit cannot hold is not done at all.
    const done = books.isTooLarge ? refuse('TRANSACTION_OVERSIZE') : performed
    if (!isLeft(done)) return done
    putBack()
    // A code that cannot be recorded must not take the transaction with it.
    return ResponseCodeC.is(done.left) ? done : refuse('FAIL_INVALID')
  } catch {
    putBack()
    return refuse('FAIL_INVALID')
  }
}

/** What the work of a transaction came to. */
export type Worked = {
  readonly status: ResponseCode
  /** Refused as if it had never come: without a charge, and without a record. */
  readonly isFree?: true
  readonly receipt?: Omit<TransactionReceipt, 'status'>
  /** Executes the schedule that the work has completed. */
  readonly execute?: () => FlowBody<TransactionRecord>
}

export const refused = (status: ResponseCode, receipt?: Omit<TransactionReceipt, 'status'>): Worked => ({
  status,
  ...(receipt === undefined ? {} : { receipt }),
})

export type Handling = {
  readonly purpose: Purpose
  readonly kind: string
  /** What else is looked at before the transaction is taken. */
  readonly precheck?: (books: Books, prechecked: Prechecked) => ResponseCode | undefined
  readonly work: (books: Books, occasion: Occasion) => FlowBody<Worked>
}

/** Puts a record on the ledger. */
export const putRecord = function* (books: Books, record: TransactionRecord): FlowBody<void> {
  const id = showTransactionID(record.transactionID)
  yield* books.records.put(books.io, id, { operator: books.io.me, id, record })
}

const work = function* (
  books: Books,
  signed: SignedTransaction<unknown>,
  handling: Handling,
): FlowBody<Either<ResponseCode, Response>> {
  const { body } = signed
  const checked = yield* precheck(books, signed, handling.kind)
  if (isLeft(checked)) return checked
  const { payer, settings, fee } = checked.right
  const problem = handling.precheck?.(books, checked.right)
  if (problem !== undefined) return left(problem)

  const consensusTimestamp = yield* books.nextTime()
  const transferList = books.balances()
  yield* books.collect(payer, fee)
  const putBack = books.mark()
  const occasion: Occasion = {
    payer: payer.accountID,
    transactionID: body.transactionID,
    consensusTimestamp,
    settings,
    schedule: undefined,
  }
  const worked = yield* handling.work(books, occasion)
  if (worked.isFree === true) return left(worked.status)
  if (worked.status !== 'SUCCESS') putBack()

  const receipt: TransactionReceipt = { status: worked.status, ...worked.receipt }
  const record: TransactionRecord = {
    receipt,
    transactionHash: hashOf(signedTextOf(settings.ledgerID, body)),
    consensusTimestamp,
    transactionID: body.transactionID,
    memo: body.memo ?? '',
    transactionFee: fee,
    transferList: transferList(),
  }
  yield* putRecord(books, record)
  const execution = worked.execute === undefined ? undefined : yield* worked.execute()
  return right({
    status: receipt.status,
    handled: true,
    receipt,
    record,
    ...(execution === undefined ? {} : { execution }),
  })
}

export const handleTransaction = function* (
  io: FlowIo,
  signed: SignedTransaction<unknown>,
  handling: Handling,
): FlowBody<Response> {
  const handled = yield* inBooks(io, handling.purpose, signed, (books) => work(books, signed, handling))
  return isLeft(handled) ? { status: handled.left, handled: false } : handled.right
}

/** A flow that takes signed transactions of one kind. */
export const transactionFlow = <O>(
  name: string,
  input: t.Type<SignedTransaction<O>, unknown>,
  handlingOf: (signed: SignedTransaction<O>) => Handling,
): FlowDefinition<SignedTransaction<O>, Response> =>
  defineFlow({
    name: `scheduled-transactions/${name}`,
    input,
    run: (io, signed): FlowBody<Response> => handleTransaction(io, signed, handlingOf(signed)),
  })
