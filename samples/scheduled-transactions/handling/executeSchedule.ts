/**
 * Executes a schedule: the payer pays, the operation is performed, and what came of it is recorded under the id
 * inherited from the create. A failure is recorded like a success and never tried again.
 */
import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import type { FlowBody } from 'carillon'
import { bytesOf } from '../../shared/StateBooks.js'
import type { Books } from '../Books.js'
import { refuse, type ResponseCode } from '../model/ResponseCode.js'
import type { Schedule, Signatories } from '../model/Schedule.js'
import { parseBody, type ScheduledBody } from '../model/ScheduledBody.js'
import { priceOf } from '../model/Settings.js'
import type { Timestamp } from '../model/ids.js'
import { hashOf } from '../model/TransactionBody.js'
import type { TransactionRecord } from '../model/TransactionRecord.js'
import { performSafely, type Receipted } from '../operations/Operation.js'
import { endSchedule } from './scheduleBook.js'

export type Execution = {
  readonly schedule: Schedule
  readonly signers: Signatories['keys']
  /** The time of the transaction that has completed it; undefined when its own time has come. */
  readonly trigger?: Timestamp
  /** Signatures that are missing at expiry: then there is a record, and nothing is performed. */
  readonly missing?: ResponseCode | undefined
}

/** Takes the fee of an execution; gives what was taken, or why it could not be. */
const takeFee = function* (
  books: Books,
  { schedule: { payerAccountID, kind }, trigger, missing }: Execution,
  transactionFee = Infinity,
): FlowBody<Either<ResponseCode, number>> {
  // Nobody pays for what he has not signed.
  if (missing === 'INVALID_PAYER_SIGNATURE') return refuse(missing)
  const { base, service } = priceOf(kind, books.settings)
  // Under `reject` an execution set off by a signature costs the service alone.
  const fee = !books.isMerging && trigger !== undefined ? service : base + service
  // Who has nothing to pay need not be there any more.
  if (fee === 0) return right(0)
  const payer = yield* books.accounts.get(payerAccountID)
  if (payer === undefined || payer.deleted) return refuse('PAYER_ACCOUNT_DELETED')
  if (transactionFee < fee) return refuse('INSUFFICIENT_TX_FEE')
  if (payer.balance < fee) return refuse('INSUFFICIENT_PAYER_BALANCE')
  yield* books.collect(payer, fee)
  return right(fee)
}

/** Performs the operation, as today's app reads it. */
const perform = function* (
  books: Books,
  { schedule, missing }: Execution,
  asked: ScheduledBody['operation'],
  consensusTimestamp: Timestamp,
): FlowBody<Either<ResponseCode, Receipted>> {
  if (missing !== undefined) return refuse(missing)
  if (asked === undefined) return refuse('INVALID_TRANSACTION_BODY')
  const operation = books.rules.operations.get(asked.kind)?.read(asked)
  if (operation === undefined) return refuse('NOT_SUPPORTED')
  if (isLeft(operation)) return refuse(operation.left.code)
  return yield* performSafely(books, operation.right, {
    payer: schedule.payerAccountID,
    transactionID: schedule.scheduledTransactionID,
    consensusTimestamp,
    schedule: schedule.schedule,
  })
}

/** Executes the schedule, or records why it cannot be executed, and makes it history. */
export const executeSchedule = function* (books: Books, execution: Execution): FlowBody<TransactionRecord> {
  const { schedule, signers, trigger, missing } = execution
  const consensusTimestamp = yield* books.nextTime()
  const { memo = '', transactionFee, operation } = parseBody(schedule.transactionBody) ?? {}
  // The history keeps text and signers, and so may the identity whose signatures are used up.
  books.reserve(2 * (bytesOf(schedule) + bytesOf(signers)))
  const transferList = books.balances()
  const fee = yield* takeFee(books, execution, transactionFee)
  const performed = isLeft(fee) ? fee : yield* perform(books, execution, operation, consensusTimestamp)
  const status = isLeft(performed) ? performed.left : 'SUCCESS'
  const record: TransactionRecord = {
    receipt: { status, ...(isLeft(performed) ? {} : performed.right) },
    transactionHash: hashOf(schedule.transactionBody),
    consensusTimestamp,
    transactionID: schedule.scheduledTransactionID,
    memo,
    transactionFee: isLeft(fee) ? 0 : fee.right,
    transferList: transferList(),
    scheduleRef: schedule.schedule,
    ...(trigger === undefined ? {} : { parentConsensusTimestamp: trigger }),
  }
  yield* books.putRecord(record)
  const as = missing === undefined ? 'executed' : 'expired'
  yield* endSchedule(books, schedule, signers, { as, at: trigger ?? consensusTimestamp, result: status })
  return record
}
