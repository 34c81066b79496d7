/**
 * Questions about schedules: get info, which forgets what the seed lets it forget, the history, which forgets nothing,
 * records, and what a second to come has room for.
 */
import * as t from 'io-ts'
import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { defineFlow, IntegerC, type FlowBody, type PublicKey } from 'carillon'
import { record } from '../../shared/record.js'
import { Books } from '../Books.js'
import { handleTransaction, type Handling } from '../handling/handleTransaction.js'
import { bookedIn, findSchedule, isThere } from '../handling/scheduleBook.js'
import { childIDOf, ScheduleIDC, showTransactionID, TransactionIDC } from '../model/ids.js'
import type { ScheduleID, Timestamp, TransactionID } from '../model/ids.js'
import { refuse, type ResponseCode } from '../model/ResponseCode.js'
import { isPast, type End, type PastSchedule, type Schedule } from '../model/Schedule.js'
import { expiryCostOf, priceOf, type Settings } from '../model/Settings.js'
import { SignedScheduleGetInfoC, type ScheduleGetInfo as Paid } from '../model/TransactionBody.js'
import type { TransactionRecord } from '../model/TransactionRecord.js'
import { Record } from '../states.js'

export type Answer<A> = { readonly status: ResponseCode } & Partial<A>

/** Who names no schedule asks about one that does not exist. */
const asked = { schedule: t.union([ScheduleIDC, t.undefined]) }
const ScheduleQueryC = record('ScheduleQuery', {}, asked)

/** The seed's `QueryHeader`: the signed payment, and what kind of answer is asked for. */
const QueryHeaderC = record(
  'QueryHeader',
  {},
  {
    payment: SignedScheduleGetInfoC,
    /** Default `ANSWER_ONLY`. `COST_ANSWER` asks what the answer would cost, and costs nothing. */
    responseType: t.keyof({
      ...{ ANSWER_ONLY: null, COST_ANSWER: null },
      ...{ ANSWER_STATE_PROOF: null, COST_ANSWER_STATE_PROOF: null },
    }),
  },
)
export type QueryHeader = t.TypeOf<typeof QueryHeaderC>

const ScheduleGetInfoQueryC = record('ScheduleGetInfoQuery', {}, { ...asked, header: QueryHeaderC })

/** The seed's `ScheduleGetInfoResponse`, with the fields of its second phase. Signatures are good on its ledger alone. */
const infoOf = (of: Schedule | PastSchedule, signers: readonly PublicKey[], { ledgerID }: Settings) => {
  const { schedule, creatorAccountID, payerAccountID, transactionBody, adminKey, memo } = of
  const { scheduledTransactionID, expirationTime, waitForExpiry } = of
  const end = isPast(of) ? of.end : undefined
  return {
    ...{ ledgerID, schedule, creatorAccountID, payerAccountID, transactionBody, signers, adminKey, memo },
    ...{ scheduledTransactionID, expirationTime, waitForExpiry },
    ...(end?.as === 'executed' ? { executionTime: end.at } : {}),
    ...(end?.as === 'deleted' ? { deletionTime: end.at } : {}),
  }
}
export type ScheduleInfo = ReturnType<typeof infoOf>

/** What is known of a schedule, pending or past. */
const describe = function* (
  books: Books,
  id: ScheduleID | undefined,
): FlowBody<{ readonly schedule: Schedule | PastSchedule; readonly info: ScheduleInfo } | undefined> {
  const schedule = id === undefined ? undefined : yield* findSchedule(books, id)
  if (schedule === undefined) return undefined
  const signers = isPast(schedule) ? schedule.signers : yield* books.signers(schedule.schedule)
  return { schedule, info: infoOf(schedule, signers, books.settings) }
}

const getInfo = function* (books: Books, id: ScheduleID | undefined): FlowBody<Either<ResponseCode, ScheduleInfo>> {
  const found = yield* describe(books, id)
  if (found === undefined) return refuse('INVALID_SCHEDULE_ID')
  if (isThere(found.schedule, books.now.seconds)) return right(found.info)
  return refuse(books.isMerging ? 'SCHEDULE_DELETED' : 'INVALID_SCHEDULE_ID')
}

const kind = 'scheduleGetInfo'

/** The answer was found before; all that is left to do is to pay. */
const paying: Handling<Paid> = {
  purpose: 'query',
  kindOf: () => kind,
  // oxlint-disable-next-line require-yield -- nothing is read or written
  *work() {
    return { status: 'SUCCESS' }
  },
}

/** A question that costs something. Nothing is paid for an answer that there is not. */
const askPaying = function* (
  books: Books,
  schedule: ScheduleID | undefined,
  payment: QueryHeader['payment'],
): FlowBody<Either<ResponseCode, ScheduleInfo>> {
  const answer = yield* getInfo(books, schedule)
  if (isLeft(answer)) return answer
  if (payment === undefined) return refuse('MISSING_QUERY_HEADER')
  if (payment.body.operation.schedule !== schedule) return refuse('INVALID_TRANSACTION_BODY')
  const paid = yield* handleTransaction(books.io, payment, paying)
  return paid.status === 'SUCCESS' ? answer : refuse(paid.status)
}

/** Get info: what is pending, and under `reject` also what is over but not forgotten. */
export const ScheduleGetInfo = defineFlow({
  name: 'scheduled-transactions/ScheduleGetInfo',
  input: ScheduleGetInfoQueryC,
  *run(io, { header = {}, schedule }): FlowBody<Answer<{ readonly info: ScheduleInfo; readonly cost: number }>> {
    const { payment, responseType = 'ANSWER_ONLY' } = header
    if (responseType.endsWith('STATE_PROOF')) return { status: 'NOT_SUPPORTED' }
    const books = yield* Books.open(io)
    const { base, service } = priceOf(kind, books.settings)
    const cost = base + service
    if (responseType === 'COST_ANSWER') return { status: 'SUCCESS', cost }
    const answer = cost === 0 ? yield* getInfo(books, schedule) : yield* askPaying(books, schedule, payment)
    if (isLeft(answer)) return { status: answer.left }
    return { status: 'SUCCESS', info: answer.right, ...(cost === 0 ? {} : { cost }) }
  },
})

export type ScheduleHistory = ScheduleInfo & {
  readonly created: Timestamp
  readonly transactionID: TransactionID
  /** How it ended; null while it is pending. */
  readonly end: End | null
  /** The record of the execution, or of why there was none. */
  readonly execution: TransactionRecord | null
  /** The record of the flow it called, once that has ended. */
  readonly called: TransactionRecord | null
}

/** The history: every schedule there ever was, with how it ended. */
export const ScheduleGetHistory = defineFlow({
  name: 'scheduled-transactions/ScheduleGetHistory',
  input: ScheduleQueryC,
  *run(io, { schedule: id }): FlowBody<Answer<{ readonly history: ScheduleHistory }>> {
    const books = yield* Books.open(io)
    const found = yield* describe(books, id)
    if (found === undefined) return { status: 'INVALID_SCHEDULE_ID' }
    const { schedule, info } = found
    const recordOf = function* (transactionID: TransactionID): FlowBody<TransactionRecord | null> {
      return (yield* books.records.get(showTransactionID(transactionID)))?.record ?? null
    }
    const history = {
      ...info,
      created: schedule.created,
      transactionID: schedule.transactionID,
      end: isPast(schedule) ? schedule.end : null,
      execution: yield* recordOf(schedule.scheduledTransactionID),
      called: yield* recordOf(childIDOf(schedule.scheduledTransactionID)),
    }
    return { status: 'SUCCESS', history }
  },
})

/** The record of a transaction, or of the execution of a schedule. */
export const GetRecord = defineFlow({
  name: 'scheduled-transactions/GetRecord',
  input: t.readonly(t.strict({ transactionID: TransactionIDC })),
  *run(io, { transactionID }): FlowBody<Answer<{ readonly record: TransactionRecord }>> {
    const found = yield* io.find(Record, showTransactionID(transactionID))
    return found === undefined ? { status: 'RECORD_NOT_FOUND' } : { status: 'SUCCESS', record: found.data.record }
  },
})

/** How far a search for a second with room looks ahead. */
const secondsSearched = 600

export type Capacity = {
  /** Whether one more of this kind fits into the second. Advisory: another may come first. */
  readonly hasRoom: boolean
  readonly booked: number
  readonly capacity: number
  /** The next second with room, from this one on; null when none is near. */
  readonly nextFree: number | null
}

/** What a second to come has room for. */
export const GetCapacity = defineFlow({
  name: 'scheduled-transactions/GetCapacity',
  input: t.readonly(t.strict({ second: IntegerC, kind: t.string })),
  *run(io, { second, kind }): FlowBody<Capacity> {
    const books = yield* Books.open(io)
    const { settings } = books
    const latest = books.now.seconds + settings.maxExpirationSecs
    const hasRoom = function* (at: number): FlowBody<boolean> {
      if (!settings.longTerm || at <= books.now.seconds || at > latest) return false
      return (yield* bookedIn(books, at)) + expiryCostOf(kind, settings) <= settings.expiryCapacity
    }
    let nextFree: number | null = null
    const first = Math.max(second, books.now.seconds + 1)
    for (let at = first; nextFree === null && at < first + secondsSearched && at <= latest; at++)
      if (yield* hasRoom(at)) nextFree = at
    const booked = yield* bookedIn(books, second)
    return { hasRoom: yield* hasRoom(second), booked, capacity: settings.expiryCapacity, nextFree }
  },
})
