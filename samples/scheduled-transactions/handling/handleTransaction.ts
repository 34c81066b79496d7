/**
 * Handles one submitted transaction: precheck, a consensus time, the fee, the work, its record, and, when that work
 * has completed a schedule, the execution with a record of its own. All of it is one commit.
 */
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { FlowBody, FlowIo } from 'carillon'
import { inBooks, type Books } from '../Books.js'
import type { Purpose } from '../commands.js'
import { nextTime } from '../model/Consensus.js'
import type { ResponseCode } from '../model/ResponseCode.js'
import { hashOf, signedTextOf, type SignedTransaction } from '../model/TransactionBody.js'
import { showTransactionID } from '../model/TransactionID.js'
import type { Response, TransactionReceipt, TransactionRecord } from '../model/TransactionRecord.js'
import type { Occasion } from '../operations/Operation.js'
import { precheck, type Prechecked } from './precheck.js'

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

  const consensus = yield* books.consensus()
  const consensusTimestamp = nextTime(consensus, books.now)
  yield* books.setConsensus({ ...consensus, last: consensusTimestamp })
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
