/**
 * ScheduleCreate: schedules a transaction. Under `merge` an identical create joins the schedule that is there; under
 * `reject` it is refused and told which one that is. With all signatures it executes at once, in the same commit.
 */
import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import type { FlowBody } from 'carillon'
import type { Books, NetworkRules } from '../Books.js'
import { refused, transactionFlow, type Worked } from '../handling/handleTransaction.js'
import { bookedIn, enter, findIdentical, requiredNow, signSchedule } from '../handling/scheduleBook.js'
import { entityOf, scheduledIDOf, type AccountID } from '../model/ids.js'
import { identityOf } from '../model/Identity.js'
import { isKey } from '../model/KeyTree.js'
import { memoProblem, refuse, type ResponseCode } from '../model/ResponseCode.js'
import { namesTooMany } from '../model/Account.js'
import { isPast, type Schedule } from '../model/Schedule.js'
import { parseBody, type ScheduledBody } from '../model/ScheduledBody.js'
import { expiryCostOf, isSystem } from '../model/Settings.js'
import { hasSigned, SignedScheduleCreateC } from '../model/TransactionBody.js'
import type { ScheduleCreate, SignedTransaction } from '../model/TransactionBody.js'
import type { Occasion, ReadOperation } from '../operations/Operation.js'

type Signed = SignedTransaction<ScheduleCreate>

/** What is wrong with a create whatever the ledger holds. */
const createProblem = (books: Books, asked: ScheduleCreate, payer: AccountID): ResponseCode | undefined => {
  const { isMerging, settings } = books
  if (asked.transactionBody === undefined)
    return isMerging ? 'UNPARSEABLE_SCHEDULED_TRANSACTION' : 'INVALID_TRANSACTION'
  // Under `reject` the signatures that count are those on the create itself.
  if (!isMerging && asked.sigMap !== undefined) return 'INVALID_TRANSACTION_BODY'
  const memo = memoProblem(asked.memo ?? '')
  if (memo !== undefined) return memo
  if (asked.adminKey !== undefined && !isKey(asked.adminKey)) return 'INVALID_ADMIN_KEY'
  if (settings.longTerm && asked.waitForExpiry === true && asked.expirationTime === undefined)
    return 'MISSING_EXPIRY_TIME'
  // What is no operation has no bucket either, and so no capacity, except for those who need none.
  const isNothing = parseBody(asked.transactionBody)?.operation === undefined
  return !isMerging && isNothing && !isSystem(payer) ? 'BUSY' : undefined
}

type Scheduled = { readonly body: ScheduledBody; readonly operation: ReadOperation }

/** Reads the transaction to schedule; refuses what cannot be scheduled. */
const readScheduled = (text: string, { isMerging, settings, rules }: Books): Either<ResponseCode, Scheduled> => {
  const body = parseBody(text)
  if (body?.operation === undefined)
    return refuse(isMerging ? 'UNPARSEABLE_SCHEDULED_TRANSACTION' : 'SCHEDULED_TRANSACTION_NOT_IN_WHITELIST')
  const { nonce = 0, ...others } = body.transactionID ?? {}
  if (Object.keys(others).length > 0 || (!isMerging && nonce !== 0)) return refuse('TRANSACTION_ID_FIELD_NOT_ALLOWED')
  if (body.maxCustomFees !== undefined) return refuse('MAX_CUSTOM_FEES_IS_NOT_SUPPORTED')
  const memo = memoProblem(body.memo ?? '')
  if (memo !== undefined) return refuse(memo)
  const { kind } = body.operation
  const known = settings.whitelist.includes(kind) ? rules.operations.get(kind) : undefined
  if (known === undefined)
    return refuse(isMerging ? 'UNSCHEDULABLE_TRANSACTION' : 'SCHEDULED_TRANSACTION_NOT_IN_WHITELIST')
  const operation = known.read(body.operation)
  if (!isLeft(operation)) return right({ body, operation: operation.right })
  const { code } = operation.left
  return refuse(isMerging && code === 'INVALID_TRANSACTION_BODY' ? 'UNPARSEABLE_SCHEDULED_TRANSACTION' : code)
}

const expirationOf = (
  { expirationTime }: ScheduleCreate,
  second: number,
  { settings }: Books,
): Either<ResponseCode, number> => {
  if (expirationTime === undefined) return right(second + settings.txExpiryTimeSecs)
  if (!settings.longTerm) return refuse('SCHEDULE_EXPIRY_NOT_CONFIGURABLE')
  const ahead = BigInt(expirationTime) - BigInt(second)
  if (ahead <= 0n) return refuse('SCHEDULE_EXPIRATION_TIME_MUST_BE_HIGHER_THAN_CONSENSUS_TIME')
  return ahead > BigInt(settings.maxExpirationSecs)
    ? refuse('SCHEDULE_EXPIRATION_TIME_TOO_FAR_IN_FUTURE')
    : right(Number(expirationTime))
}

const payerProblem = function* (books: Books, payer: AccountID | undefined): FlowBody<ResponseCode | undefined> {
  if (payer === undefined) return undefined
  const account = yield* books.accounts.get(payer)
  if (!books.isMerging) return account === undefined ? 'ACCOUNT_ID_DOES_NOT_EXIST' : undefined
  return account === undefined || account.deleted ? 'INVALID_SCHEDULE_PAYER_ID' : undefined
}

/** The schedule that is asked for, if it can be. It has no number yet. */
const draftSchedule = function* (
  books: Books,
  signed: Signed,
  occasion: Occasion,
): FlowBody<Either<ResponseCode, Schedule>> {
  const { settings, rules } = books
  const asked = signed.body.operation
  const { transactionBody = '', adminKey = null, memo = '', waitForExpiry = false } = asked
  const problem = yield* payerProblem(books, asked.payer)
  if (problem !== undefined) return refuse(problem)
  const scheduled = readScheduled(transactionBody, books)
  if (isLeft(scheduled)) return scheduled
  if (adminKey !== null && !hasSigned(adminKey, signed, settings)) return refuse('INVALID_SIGNATURE')
  const payerAccountID = asked.payer ?? occasion.payer
  const { needs, kind } = scheduled.right.operation
  if (namesTooMany(needs)) return refuse('TRANSACTION_OVERSIZE')
  const required = yield* requiredNow(books, payerAccountID, needs)
  if (isLeft(required)) return required
  const expirationTime = expirationOf(asked, occasion.consensusTimestamp.seconds, books)
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
    transactionID: occasion.transactionID,
    scheduledTransactionID: scheduledIDOf(occasion.transactionID, scheduled.right.body.transactionID?.nonce),
    created: occasion.consensusTimestamp,
    identityHash: '',
  }
  return right({ ...draft, identityHash: rules.hash(identityOf(draft, settings)) })
}

/** Gives the schedule its number and its place, if there is room. */
const admit = function* (books: Books, draft: Schedule): FlowBody<Either<ResponseCode, Schedule>> {
  const { settings } = books
  if ((yield* books.consensus()).schedules >= settings.maxSchedules)
    return refuse('MAX_ENTITIES_IN_PRICE_REGIME_HAVE_BEEN_CREATED')
  const booked = yield* bookedIn(books, draft.expirationTime)
  if (draft.expirationGiven && booked + expiryCostOf(draft.kind, settings) > settings.expiryCapacity)
    return refuse('SCHEDULE_EXPIRY_IS_BUSY')
  const schedule = { ...draft, schedule: yield* books.nextEntity() }
  yield* enter(books, schedule)
  return right(schedule)
}

/** Whoever joins a schedule agrees with when it runs. An expiration that is left out is no term; waiting always is. */
const hasOtherTerms = (there: Schedule, asked: Schedule): boolean =>
  asked.waitForExpiry !== there.waitForExpiry ||
  (asked.expirationGiven && asked.expirationTime !== there.expirationTime)

const work = function* (books: Books, signed: Signed, occasion: Occasion): FlowBody<Worked> {
  const { consensusTimestamp } = occasion
  const receiptOf = ({ schedule, scheduledTransactionID }: Schedule) => ({ schedule, scheduledTransactionID })
  const draft = yield* draftSchedule(books, signed, occasion)
  if (isLeft(draft)) return refused(draft.left)
  const there = yield* findIdentical(books, draft.right, consensusTimestamp.seconds)
  if (there !== undefined && (!books.isMerging || isPast(there)))
    return refused('IDENTICAL_SCHEDULE_ALREADY_CREATED', receiptOf(there))
  if (there !== undefined && hasOtherTerms(there, draft.right))
    return refused('IDENTICAL_SCHEDULE_HAS_OTHER_TERMS', receiptOf(there))
  const admitted = there === undefined ? yield* admit(books, draft.right) : right(there)
  // Who finds no room chooses another second: that costs nothing, as at a throttle.
  if (isLeft(admitted)) return { status: admitted.left, isFree: admitted.left === 'SCHEDULE_EXPIRY_IS_BUSY' }
  const schedule = admitted.right
  const signing = yield* signSchedule(books, schedule, signed)
  if (isLeft(signing)) return refused(signing.left)
  const { keys: signers, executes, added } = signing.right
  if (there === undefined || added > 0) yield* books.setSigners(schedule.schedule, signers)
  return {
    status: 'SUCCESS',
    receipt: receiptOf(schedule),
    ...(executes ? { execution: { schedule, signers, trigger: consensusTimestamp } } : {}),
  }
}

export const scheduleCreateFlow = (rules: NetworkRules) =>
  transactionFlow(
    'ScheduleCreate',
    SignedScheduleCreateC,
    { purpose: 'create', kindOf: ({ kind }) => kind, problem: createProblem, work },
    rules,
  )
