/**
 * Executes a schedule: the payer pays, the operation is performed, and what came of it is recorded under the id
 * inherited from the create. A failure is recorded like a success and never tried again.
 */
import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import type { FlowBody } from 'carillon'
import type { Books } from '../Books.js'
import { refuse, type ResponseCode } from '../model/ResponseCode.js'
import type { Schedule, Signatories } from '../model/Schedule.js'
import { parseBody, type ScheduledBody } from '../model/ScheduledBody.js'
import { priceOf, type Settings } from '../model/Settings.js'
import type { Timestamp } from '../model/ids.js'
import { hashOf } from '../model/TransactionBody.js'
import type { TransactionRecord } from '../model/TransactionRecord.js'
import type { Occasion, Operations, ReadOperation, Receipted } from '../operations/Operation.js'
import { performSafely, putRecord } from './handleTransaction.js'
import { endSchedule } from './scheduleBook.js'

/** What makes a schedule be looked at: a transaction that completed it, or its expiration time. */
export type Trigger = { readonly by: 'signature'; readonly at: Timestamp } | { readonly by: 'expiry' }

/** What the payer has to pay. Under `reject` an execution set off by a signature costs the service alone. */
const feeOf = (kind: string, { by }: Trigger, settings: Settings): number => {
  const { base, service } = priceOf(kind, settings)
  return settings.onIdentical === 'reject' && by === 'signature' ? service : base + service
}

/** Takes the fee of an execution; gives what was taken, or why it could not be. */
const takeFee = function* (
  books: Books,
  { payerAccountID, kind }: Schedule,
  { transactionFee }: Pick<ScheduledBody, 'transactionFee'>,
  trigger: Trigger,
  settings: Settings,
): FlowBody<Either<ResponseCode, number>> {
  const fee = feeOf(kind, trigger, settings)
  // Who has nothing to pay need not be there any more.
  if (fee === 0) return right(0)
  const payer = yield* books.account(payerAccountID)
  if (payer === undefined || payer.deleted) return refuse('PAYER_ACCOUNT_DELETED')
  if (transactionFee !== undefined && transactionFee < fee) return refuse('INSUFFICIENT_TX_FEE')
  if (payer.balance < fee) return refuse('INSUFFICIENT_PAYER_BALANCE')
  yield* books.collect(payer, fee)
  return right(fee)
}

/** The operation of a schedule, as today's app reads it. */
const readOperation = (body: ScheduledBody, operations: Operations): Either<ResponseCode, ReadOperation> =>
  body.operation === undefined
    ? refuse('INVALID_TRANSACTION_BODY')
    : (operations.get(body.operation.kind)?.read(body.operation) ?? refuse('NOT_SUPPORTED'))

export type Execution = {
  readonly schedule: Schedule
  readonly signers: Signatories['keys']
  readonly trigger: Trigger
  readonly settings: Settings
  /** Signatures that are missing at expiry: then there is a record, and nothing is performed. */
  readonly missing?: ResponseCode
}

const perform = function* (
  books: Books,
  operations: Operations,
  { schedule, settings, missing }: Execution,
  body: ScheduledBody,
  consensusTimestamp: Timestamp,
): FlowBody<Either<ResponseCode, Receipted>> {
  if (missing !== undefined) return refuse(missing)
  const operation = readOperation(body, operations)
  if (isLeft(operation)) return operation
  const occasion: Occasion = {
    payer: schedule.payerAccountID,
    transactionID: schedule.scheduledTransactionID,
    consensusTimestamp,
    settings,
    schedule: schedule.schedule,
  }
  return yield* performSafely(books, operation.right, occasion)
}

const emptyBody: ScheduledBody = {
  nonce: undefined,
  namesItself: false,
  memo: '',
  transactionFee: undefined,
  limitsCustomFees: false,
  operation: undefined,
}

/** Executes the schedule, or records why it cannot be executed, and makes it history. */
export const executeSchedule = function* (
  books: Books,
  operations: Operations,
  execution: Execution,
): FlowBody<TransactionRecord> {
  const { schedule, signers, trigger, settings, missing } = execution
  const consensusTimestamp = yield* books.nextTime()
  const body = parseBody(schedule.transactionBody) ?? emptyBody
  // The history keeps the text, and so may the identity whose signatures are used up.
  books.reserve(2 * Buffer.byteLength(JSON.stringify(schedule)))
  const transferList = books.balances()
  // Nobody pays for what he has not signed.
  const fee =
    missing === 'INVALID_PAYER_SIGNATURE' ? refuse(missing) : yield* takeFee(books, schedule, body, trigger, settings)
  const performed = isLeft(fee) ? fee : yield* perform(books, operations, execution, body, consensusTimestamp)
  const status = isLeft(performed) ? performed.left : 'SUCCESS'
  const record: TransactionRecord = {
    receipt: { status, ...(isLeft(performed) ? {} : performed.right) },
    transactionHash: hashOf(schedule.transactionBody),
    consensusTimestamp,
    transactionID: schedule.scheduledTransactionID,
    memo: body.memo,
    transactionFee: isLeft(fee) ? 0 : fee.right,
    transferList: transferList(),
    scheduleRef: schedule.schedule,
    ...(trigger.by === 'signature' ? { parentConsensusTimestamp: trigger.at } : {}),
  }
  yield* putRecord(books, record)
  const as = missing === undefined ? 'executed' : 'expired'
  const at = trigger.by === 'signature' ? trigger.at : consensusTimestamp
  yield* endSchedule(books, schedule, signers, { as, at, result: status }, settings)
  return record
}
