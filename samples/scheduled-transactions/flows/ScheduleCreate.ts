/**
 * ScheduleCreate: schedules a transaction. Under `merge` an identical create joins the schedule that is there; under
 * `reject` it is refused and told which one that is. With all signatures it executes at once, in the same commit.
 */
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { FlowBody, FlowDefinition } from 'carillon'
import type { Books } from '../Books.js'
import { executeSchedule } from '../handling/executeSchedule.js'
import { refused, transactionFlow, type Prechecked, type Worked } from '../handling/handleTransaction.js'
import { bookedIn, enter, findIdentical, requiredNow, signSchedule } from '../handling/scheduleBook.js'
import { entityOf, scheduledIDOf } from '../model/ids.js'
import { identityOf, type HashIdentity } from '../model/Identity.js'
import { isKey } from '../model/KeyTree.js'
import { memoProblem, refuse, type ResponseCode } from '../model/ResponseCode.js'
import { namesTooMany } from '../model/Account.js'
import { isPast, type Schedule } from '../model/Schedule.js'
import { parseBody, type ScheduledBody } from '../model/ScheduledBody.js'
import { expiryCostOf, isSystem, type Settings } from '../model/Settings.js'
import { hasSigned, SignedScheduleCreateC } from '../model/TransactionBody.js'
import type { ScheduleCreate, SignedTransaction } from '../model/TransactionBody.js'
import type { Response, TransactionReceipt } from '../model/TransactionRecord.js'
import type { Occasion, Operations, ReadOperation } from '../operations/Operation.js'

type Signed = SignedTransaction<ScheduleCreate>
export type ScheduleCreateFlow = FlowDefinition<Signed, Response>

/** What is wrong with a create whatever the ledger holds. */
const createProblem = (asked: ScheduleCreate, { payer, settings }: Prechecked): ResponseCode | undefined => {
  const isRejecting = settings.onIdentical === 'reject'
  if (asked.transactionBody === undefined)
    return isRejecting ? 'INVALID_TRANSACTION' : 'UNPARSEABLE_SCHEDULED_TRANSACTION'
  // Under `reject` the signatures that count are those on the create itself.
  if (isRejecting && asked.sigMap !== undefined) return 'INVALID_TRANSACTION_BODY'
  const memo = memoProblem(asked.memo ?? '')
  if (memo !== undefined) return memo
  if (asked.adminKey !== undefined && !isKey(asked.adminKey)) return 'INVALID_ADMIN_KEY'
  if (settings.longTerm && asked.waitForExpiry === true && asked.expirationTime === undefined)
    return 'MISSING_EXPIRY_TIME'
  // What is no operation has no bucket either, and so no capacity, except for those who need none.
  const isNothing = parseBody(asked.transactionBody)?.operation === undefined
  return isRejecting && isNothing && !isSystem(payer.accountID) ? 'BUSY' : undefined
}

/** Reads the transaction to schedule; refuses what cannot be scheduled. */
const readScheduled = (
  text: string,
  operations: Operations,
  settings: Settings,
): Either<ResponseCode, { readonly body: ScheduledBody; readonly operation: ReadOperation }> => {
  const isMerging = settings.onIdentical === 'merge'
  const body = parseBody(text)
  if (body?.operation === undefined)
    return refuse(isMerging ? 'UNPARSEABLE_SCHEDULED_TRANSACTION' : 'SCHEDULED_TRANSACTION_NOT_IN_WHITELIST')
  if (body.namesItself || (!isMerging && (body.nonce ?? 0) !== 0)) return refuse('TRANSACTION_ID_FIELD_NOT_ALLOWED')
  if (body.limitsCustomFees) return refuse('MAX_CUSTOM_FEES_IS_NOT_SUPPORTED')
  const memo = memoProblem(body.memo)
  if (memo !== undefined) return refuse(memo)
  const known = settings.whitelist.includes(body.operation.kind) ? operations.get(body.operation.kind) : undefined
  if (known === undefined)
    return refuse(isMerging ? 'UNSCHEDULABLE_TRANSACTION' : 'SCHEDULED_TRANSACTION_NOT_IN_WHITELIST')
  const operation = known.read(body.operation)
  if (!isLeft(operation)) return right({ body, operation: operation.right })
  return isMerging && operation.left === 'INVALID_TRANSACTION_BODY'
    ? refuse('UNPARSEABLE_SCHEDULED_TRANSACTION')
    : operation
}

const expirationOf = (
  { expirationTime }: ScheduleCreate,
  second: number,
  settings: Settings,
): Either<ResponseCode, number> => {
  if (expirationTime === undefined) return right(second + settings.txExpiryTimeSecs)
  if (!settings.longTerm) return refuse('SCHEDULE_EXPIRY_NOT_CONFIGURABLE')
  const ahead = BigInt(expirationTime) - BigInt(second)
  if (ahead <= 0n) return refuse('SCHEDULE_EXPIRATION_TIME_MUST_BE_HIGHER_THAN_CONSENSUS_TIME')
  return ahead > BigInt(settings.maxExpirationSecs)
    ? refuse('SCHEDULE_EXPIRATION_TIME_TOO_FAR_IN_FUTURE')
    : right(Number(expirationTime))
}

const checkPayer = function* (
  books: Books,
  { payer }: ScheduleCreate,
  { onIdentical }: Settings,
): FlowBody<Either<ResponseCode, void>> {
  if (payer === undefined) return right(undefined)
  const account = yield* books.account(payer)
  if (onIdentical === 'reject') return account === undefined ? refuse('ACCOUNT_ID_DOES_NOT_EXIST') : right(undefined)
  return account === undefined || account.deleted ? refuse('INVALID_SCHEDULE_PAYER_ID') : right(undefined)
}

/** The schedule that is asked for, if it can be. It has no number yet. */
const draftSchedule = function* (
  books: Books,
  signed: Signed,
  operations: Operations,
  occasion: Occasion,
  hash: HashIdentity,
): FlowBody<Either<ResponseCode, Schedule>> {
  const { settings, consensusTimestamp } = occasion
  const asked = signed.body.operation
  const { transactionBody = '', adminKey = null, memo = '', waitForExpiry = false } = asked
  const payer = yield* checkPayer(books, asked, settings)
  if (isLeft(payer)) return payer
  const scheduled = readScheduled(transactionBody, operations, settings)
  if (isLeft(scheduled)) return scheduled
  if (adminKey !== null && !hasSigned(adminKey, signed, settings)) return refuse('INVALID_SIGNATURE')
  const payerAccountID = asked.payer ?? occasion.payer
  const { needs, kind } = scheduled.right.operation
  if (namesTooMany(needs)) return refuse('TRANSACTION_OVERSIZE')
  const required = yield* requiredNow(books, payerAccountID, needs)
  if (isLeft(required)) return required
  const expirationTime = expirationOf(asked, consensusTimestamp.seconds, settings)
  if (isLeft(expirationTime)) return expirationTime
  const draft: Schedule = {
    operator: books.io.me,
    schedule: entityOf(0),
    creatorAccountID: occasion.payer,
    payerAccountID,
    transactionBody,
    kind,
    needs,
    adminKey,
    memo,
    expirationTime: expirationTime.right,
    expirationGiven: asked.expirationTime !== undefined,
    waitForExpiry: settings.longTerm && waitForExpiry,
    transactionID: signed.body.transactionID,
    scheduledTransactionID: scheduledIDOf(signed.body.transactionID, scheduled.right.body.nonce),
    created: consensusTimestamp,
    identityHash: '',
  }
  return right({ ...draft, identityHash: hash(identityOf(draft, settings)) })
}

/** Gives the schedule its number and its place, if there is room. */
const admit = function* (books: Books, draft: Schedule, settings: Settings): FlowBody<Either<ResponseCode, Schedule>> {
  const consensus = yield* books.consensus()
  if (consensus.schedules >= settings.maxSchedules) return left('MAX_ENTITIES_IN_PRICE_REGIME_HAVE_BEEN_CREATED')
  const booked = yield* bookedIn(books, draft.expirationTime, settings)
  if (draft.expirationGiven && booked + expiryCostOf(draft.kind, settings) > settings.expiryCapacity)
    return left('SCHEDULE_EXPIRY_IS_BUSY')
  const schedule = { ...draft, schedule: yield* books.nextEntity() }
  yield* enter(books, schedule)
  return right(schedule)
}

const receiptOf = ({ schedule, scheduledTransactionID }: Schedule): Omit<TransactionReceipt, 'status'> => ({
  schedule,
  scheduledTransactionID,
})

/** Whoever joins a schedule agrees with when it runs. An expiration that is left out is no term; waiting always is. */
const hasOtherTerms = (there: Schedule, asked: Schedule): boolean =>
  asked.waitForExpiry !== there.waitForExpiry ||
  (asked.expirationGiven && asked.expirationTime !== there.expirationTime)

const work = function* (
  books: Books,
  signed: Signed,
  operations: Operations,
  occasion: Occasion,
  hash: HashIdentity,
): FlowBody<Worked> {
  const { settings, consensusTimestamp } = occasion
  const draft = yield* draftSchedule(books, signed, operations, occasion, hash)
  if (isLeft(draft)) return refused(draft.left)
  const identity = identityOf(draft.right, settings)
  const { identityHash } = draft.right
  const there = yield* findIdentical(books, identity, identityHash, consensusTimestamp.seconds, settings)
  if (there !== undefined && (settings.onIdentical === 'reject' || isPast(there)))
    return refused('IDENTICAL_SCHEDULE_ALREADY_CREATED', receiptOf(there))
  if (there !== undefined && hasOtherTerms(there, draft.right))
    return refused('IDENTICAL_SCHEDULE_HAS_OTHER_TERMS', receiptOf(there))
  const admitted = there === undefined ? yield* admit(books, draft.right, settings) : right(there)
  // Who finds no room chooses another second: that costs nothing, as at a throttle.
  if (isLeft(admitted))
    return admitted.left === 'SCHEDULE_EXPIRY_IS_BUSY'
      ? { status: admitted.left, isFree: true }
      : refused(admitted.left)
  const schedule = admitted.right
  const signing = yield* signSchedule(books, schedule, signed, settings)
  if (isLeft(signing)) return refused(signing.left)
  const { keys, isReady, added } = signing.right
  if (there === undefined || added > 0) yield* books.setSigners(schedule.schedule, keys)
  const trigger = { by: 'signature', at: consensusTimestamp } as const
  return {
    status: 'SUCCESS',
    receipt: receiptOf(schedule),
    ...(isReady && !schedule.waitForExpiry
      ? { execute: () => executeSchedule(books, operations, { schedule, signers: keys, trigger, settings }) }
      : {}),
  }
}

export const scheduleCreateFlow = (operations: Operations, hash: HashIdentity): ScheduleCreateFlow =>
  transactionFlow('ScheduleCreate', SignedScheduleCreateC, (signed) => ({
    purpose: 'create',
    kind: 'scheduleCreate',
    precheck: (_books, prechecked) => createProblem(signed.body.operation, prechecked),
    work: (books, occasion) => work(books, signed, operations, occasion, hash),
  }))
