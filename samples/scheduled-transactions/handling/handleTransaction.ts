/**
 * Handles one submitted transaction: precheck, a consensus time, the fee, the work, its record, and, when that
 * work has completed a schedule, the execution with a record of its own. All of it is one commit; what the
 * precheck refuses costs nothing and leaves no trace.
 */
import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { canonicalText, defineFlow, type FlowBody, type FlowDefinition, type FlowIo } from 'carillon'
import { inBooks, type Books, type NetworkRules } from '../Books.js'
import type { Purpose } from '../kinds.js'
import type { Account } from '../model/Account.js'
import { takePlace } from '../model/Consensus.js'
import { memoProblem, refuse, type ResponseCode } from '../model/ResponseCode.js'
import { defaultValidDurationSecs, isSystem, longestValidDurationSecs, priceOf } from '../model/Settings.js'
import type { Settings } from '../model/Settings.js'
import { SignatureMapC } from '../model/SignatureMap.js'
import { hashOf, hasSigned, signedTextOf } from '../model/TransactionBody.js'
import type { SignedTransaction, TransactionBody } from '../model/TransactionBody.js'
import type { Response, TransactionReceipt, TransactionRecord } from '../model/TransactionRecord.js'
import { compare, showTransactionID, type AccountID, type Timestamp } from '../model/ids.js'
import type { Occasion } from '../operations/Operation.js'
import { executeSchedule, type Execution } from './executeSchedule.js'

type Prechecked = { readonly payer: Account; readonly fee: number }

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

const findPayer = function* (books: Books, id: AccountID, kind: string): FlowBody<Either<ResponseCode, Account>> {
  const account = yield* books.accounts.get(id)
  if (account !== undefined && !account.deleted) return right(account)
  if (kind === 'scheduleCreate' && books.isMerging) return refuse('INVALID_SCHEDULE_ACCOUNT_ID')
  return refuse(account === undefined ? 'PAYER_ACCOUNT_NOT_FOUND' : 'PAYER_ACCOUNT_DELETED')
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
const precheck = function* (
  books: Books,
  signed: SignedTransaction<unknown>,
  kind: string,
): FlowBody<Either<ResponseCode, Prechecked>> {
  const { settings } = books
  const { transactionID, transactionFee = Infinity } = signed.body
  const bytes = Buffer.byteLength(canonicalText(signed))
  if (bytes > settings.maxTransactionBytes) return refuse('TRANSACTION_OVERSIZE')
  books.reserve(bytes)
  const problem = bodyProblem(signed.body, books.now)
  if (problem !== undefined) return refuse(problem)
  const payer = yield* findPayer(books, transactionID.accountID, kind)
  if (isLeft(payer)) return payer
  if (!hasSigned(payer.right.key, signed, settings)) return refuse('INVALID_PAYER_SIGNATURE')
  if ((yield* books.records.get(showTransactionID(transactionID))) !== undefined) return refuse('DUPLICATE_TRANSACTION')
  const { base, service } = priceOf(kind, settings)
  const fee = base + service + extraPrice(signed, settings)
  if (transactionFee < fee) return refuse('INSUFFICIENT_TX_FEE')
  if (payer.right.balance < fee) return refuse('INSUFFICIENT_PAYER_BALANCE')
  if (!isSystem(payer.right.accountID)) {
    const taken = takePlace(yield* books.consensus(), kind, books.now.seconds, settings)
    if (taken === undefined) return refuse('BUSY')
    yield* books.setConsensus(taken)
  }
  return right({ payer: payer.right, fee })
}

/** What the work of a transaction came to. */
export type Worked = {
  readonly status: ResponseCode
  /** Refused as if it had never come: without a charge, and without a record. */
  readonly isFree?: boolean
  readonly receipt?: Omit<TransactionReceipt, 'status'>
  /** The schedule that the work has completed. */
  readonly execution?: Execution
}

export const refused = (status: ResponseCode, receipt: Worked['receipt'] = {}): Worked => ({ status, receipt })

/** What is done with transactions of a kind. */
export type Handling<O> = {
  readonly purpose: Purpose
  readonly kindOf: (operation: O) => string
  /** What else is looked at before the transaction is taken. */
  readonly problem?: (books: Books, operation: O, payer: AccountID) => ResponseCode | undefined
  readonly work: (books: Books, signed: SignedTransaction<O>, occasion: Occasion) => FlowBody<Worked>
}

const handle = function* <O>(
  books: Books,
  signed: SignedTransaction<O>,
  handling: Handling<O>,
): FlowBody<Either<ResponseCode, Response>> {
  const { transactionID, operation, memo = '' } = signed.body
  const checked = yield* precheck(books, signed, handling.kindOf(operation))
  if (isLeft(checked)) return checked
  const { payer, fee } = checked.right
  const problem = handling.problem?.(books, operation, payer.accountID)
  if (problem !== undefined) return refuse(problem)

  const consensusTimestamp = yield* books.nextTime()
  const transferList = books.balances()
  yield* books.collect(payer, fee)
  const putBack = books.mark()
  const occasion = { payer: payer.accountID, transactionID, consensusTimestamp, schedule: undefined }
  const { status, isFree = false, ...worked } = yield* handling.work(books, signed, occasion)
  if (isFree) return refuse(status)
  if (status !== 'SUCCESS') putBack()

  const record: TransactionRecord = {
    receipt: { status, ...worked.receipt },
    transactionHash: hashOf(signedTextOf(books.settings.ledgerID, signed.body)),
    consensusTimestamp,
    transactionID,
    memo,
    transactionFee: fee,
    transferList: transferList(),
  }
  yield* books.putRecord(record)
  const execution = worked.execution === undefined ? {} : { execution: yield* executeSchedule(books, worked.execution) }
  return right({ status, handled: true, receipt: record.receipt, record, ...execution })
}

export const handleTransaction = function* <O>(
  io: FlowIo,
  signed: SignedTransaction<O>,
  handling: Handling<O>,
  rules?: NetworkRules,
): FlowBody<Response> {
  const handled = yield* inBooks(io, handling.purpose, signed, (books) => handle(books, signed, handling), rules)
  return isLeft(handled) ? { status: handled.left, handled: false } : handled.right
}

/** A flow that takes signed transactions of a kind. */
export const transactionFlow = <O>(
  name: string,
  input: t.Type<SignedTransaction<O>, unknown>,
  handling: Handling<O>,
  rules?: NetworkRules,
): FlowDefinition<SignedTransaction<O>, Response> =>
  defineFlow({
    name: `scheduled-transactions/${name}`,
    input,
    run: (io, signed): FlowBody<Response> => handleTransaction(io, signed, handling, rules),
  })
