/**
 * The transactions besides ScheduleCreate. ScheduleSign adds signatures to a schedule, and the last one that was
 * missing executes it in the same commit; anybody may sign without a signature to have it looked at again, since
 * keys change. ScheduleDelete takes one back by its admin key. Submit does any other transaction at once, since
 * whoever must sign has signed it.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import type { FlowBody, Json } from 'carillon'
import type { Books, NetworkRules } from '../Books.js'
import { refused, transactionFlow, type Worked } from '../handling/handleTransaction.js'
import { endSchedule, findPending, requiredNow, signSchedule } from '../handling/scheduleBook.js'
import { missingFrom, namesTooMany, primitivesIn } from '../model/Account.js'
import { witness } from '../model/SignatureMap.js'
import { hasSigned, SignedScheduleDeleteC, SignedScheduleSignC } from '../model/TransactionBody.js'
import { signedTextOf, SignedTransactionC } from '../model/TransactionBody.js'
import type { ScheduleDelete as Deletion, ScheduleSign, SignedTransaction } from '../model/TransactionBody.js'
import { performSafely, type Occasion } from '../operations/Operation.js'

type SignedSign = SignedTransaction<ScheduleSign>

const sign = function* (books: Books, signed: SignedSign, { consensusTimestamp }: Occasion): FlowBody<Worked> {
  const found = yield* findPending(books, signed.body.operation.scheduleID, consensusTimestamp.seconds)
  if (isLeft(found)) return refused(found.left.code)
  const schedule = found.right
  const signing = yield* signSchedule(books, schedule, signed)
  if (isLeft(signing)) return refused(signing.left)
  const { keys: signers, added, executes } = signing.right
  if (added === 0 && !executes) return refused('NO_NEW_VALID_SIGNATURES')
  if (added > 0) yield* books.setSigners(schedule.schedule, signers)
  return {
    status: 'SUCCESS',
    receipt: { scheduledTransactionID: schedule.scheduledTransactionID },
    ...(executes ? { execution: { schedule, signers, trigger: consensusTimestamp } } : {}),
  }
}

export const scheduleSignFlow = (rules: NetworkRules) =>
  transactionFlow(
    'ScheduleSign',
    SignedScheduleSignC,
    {
      purpose: 'sign',
      kindOf: ({ kind }) => kind,
      problem: ({ isMerging }, { sigMap }) =>
        isMerging || sigMap === undefined ? undefined : 'INVALID_TRANSACTION_BODY',
      work: sign,
    },
    rules,
  )

const takeBack = function* (
  books: Books,
  signed: SignedTransaction<Deletion>,
  { consensusTimestamp }: Occasion,
): FlowBody<Worked> {
  const found = yield* findPending(books, signed.body.operation.schedule, consensusTimestamp.seconds)
  const schedule = isLeft(found) ? found.left.past : found.right
  if (schedule?.adminKey === null) return refused('SCHEDULE_IS_IMMUTABLE')
  if (schedule !== undefined && !hasSigned(schedule.adminKey, signed, books.settings))
    return refused('INVALID_SIGNATURE')
  if (isLeft(found)) return refused(found.left.code)
  const signers = yield* books.signers(found.right.schedule)
  yield* endSchedule(books, found.right, signers, { as: 'deleted', at: consensusTimestamp, result: null })
  return { status: 'SUCCESS' }
}

export const ScheduleDelete = transactionFlow('ScheduleDelete', SignedScheduleDeleteC, {
  purpose: 'delete',
  kindOf: ({ kind }) => kind,
  work: takeBack,
})

const kindOf = (operation: Json): string =>
  typeof operation === 'object' && operation !== null && 'kind' in operation && typeof operation['kind'] === 'string'
    ? operation['kind']
    : ''

const submit = function* (
  books: Books,
  { body, sigMap }: SignedTransaction<Json>,
  occasion: Occasion,
): FlowBody<Worked> {
  const operation = books.rules.operations.get(kindOf(body.operation))?.read(body.operation)
  if (operation === undefined) return refused('NOT_SUPPORTED')
  if (isLeft(operation)) return refused(operation.left.code)
  if (namesTooMany(operation.right.needs)) return refused('TRANSACTION_OVERSIZE')
  const required = yield* requiredNow(books, occasion.payer, operation.right.needs)
  // Whoever names an account or a topic that is not there is told so by the operation itself.
  if (!isLeft(required)) {
    const { signed } = witness(sigMap, primitivesIn(required.right), signedTextOf(books.settings.ledgerID, body))
    const missing = missingFrom(required.right, signed)
    if (missing !== undefined) return refused(missing)
  }
  const performed = yield* performSafely(books, operation.right, occasion)
  if (isLeft(performed)) return refused(performed.left)
  return isLeft(required) ? refused('INVALID_SIGNATURE') : { status: 'SUCCESS', receipt: performed.right }
}

export const submitFlow = (rules: NetworkRules) =>
  transactionFlow('Submit', SignedTransactionC, { purpose: 'submit', kindOf, work: submit }, rules)
