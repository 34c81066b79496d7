/**
 * The transactions besides ScheduleCreate. ScheduleSign adds signatures to a schedule, and the last one that was
 * missing executes it in the same commit; anybody may sign without a signature to have it looked at again, since
 * keys change. ScheduleDelete takes one back by its admin key. Submit does any other transaction at once, since
 * whoever must sign has signed it.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import type { FlowBody, FlowDefinition, Json } from 'carillon'
import type { Books } from '../Books.js'
import { executeSchedule } from '../handling/executeSchedule.js'
import { performSafely, refused, transactionFlow, type Worked } from '../handling/handleTransaction.js'
import { endSchedule, findPending, requiredNow, signSchedule } from '../handling/scheduleBook.js'
import { missingFrom, namesTooMany, primitivesIn } from '../model/Account.js'
import { witness } from '../model/SignatureMap.js'
import {
  hasSigned,
  SignedScheduleDeleteC,
  SignedScheduleSignC,
  signedTextOf,
  SignedTransactionC,
  type ScheduleDelete as Deletion,
  type ScheduleSign,
  type SignedTransaction,
} from '../model/TransactionBody.js'
import type { Response } from '../model/TransactionRecord.js'
import type { Occasion, Operations } from '../operations/Operation.js'

type SignedSign = SignedTransaction<ScheduleSign>
export type ScheduleSignFlow = FlowDefinition<SignedSign, Response>

const signWork = function* (
  books: Books,
  signed: SignedSign,
  operations: Operations,
  occasion: Occasion,
): FlowBody<Worked> {
  const { settings, consensusTimestamp } = occasion
  const found = yield* findPending(books, signed.body.operation.scheduleID, consensusTimestamp.seconds, settings)
  if (isLeft(found)) return refused(found.left.code)
  const schedule = found.right
  const signing = yield* signSchedule(books, schedule, signed, settings)
  if (isLeft(signing)) return refused(signing.left)
  const { keys, added, isReady } = signing.right
  const executes = isReady && !schedule.waitForExpiry
  if (added === 0 && !executes) return refused('NO_NEW_VALID_SIGNATURES')
  if (added > 0) yield* books.setSigners(schedule.schedule, keys)
  const trigger = { by: 'signature', at: consensusTimestamp } as const
  return {
    status: 'SUCCESS',
    receipt: { scheduledTransactionID: schedule.scheduledTransactionID },
    ...(executes
      ? { execute: () => executeSchedule(books, operations, { schedule, signers: keys, trigger, settings }) }
      : {}),
  }
}

export const scheduleSignFlow = (operations: Operations): ScheduleSignFlow =>
  transactionFlow('ScheduleSign', SignedScheduleSignC, (signed) => ({
    purpose: 'sign',
    kind: 'scheduleSign',
    precheck: (_books, { settings }) =>
      settings.onIdentical === 'reject' && signed.body.operation.sigMap !== undefined
        ? 'INVALID_TRANSACTION_BODY'
        : undefined,
    work: (books, occasion) => signWork(books, signed, operations, occasion),
  }))

const deleteWork = function* (
  books: Books,
  signed: SignedTransaction<Deletion>,
  { settings, consensusTimestamp }: Occasion,
): FlowBody<Worked> {
  const { schedule: id } = signed.body.operation
  const found = yield* findPending(books, id, consensusTimestamp.seconds, settings)
  const schedule = isLeft(found) ? found.left.past : found.right
  if (schedule?.adminKey === null) return refused('SCHEDULE_IS_IMMUTABLE')
  if (schedule !== undefined && !hasSigned(schedule.adminKey, signed, settings)) return refused('INVALID_SIGNATURE')
  if (isLeft(found)) return refused(found.left.code)
  const signers = yield* books.signers(found.right.schedule)
  const end = { as: 'deleted', at: consensusTimestamp, result: null } as const
  yield* endSchedule(books, found.right, signers, end, settings)
  return { status: 'SUCCESS' }
}

export const ScheduleDelete = transactionFlow('ScheduleDelete', SignedScheduleDeleteC, (signed) => ({
  purpose: 'delete',
  kind: 'scheduleDelete',
  work: (books, occasion) => deleteWork(books, signed, occasion),
}))

export type SubmitFlow = FlowDefinition<SignedTransaction<Json>, Response>

const kindOf = (operation: Json): string =>
  typeof operation === 'object' && operation !== null && 'kind' in operation && typeof operation['kind'] === 'string'
    ? operation['kind']
    : ''

const submitWork = function* (
  books: Books,
  { body, sigMap }: SignedTransaction<Json>,
  operations: Operations,
  occasion: Occasion,
): FlowBody<Worked> {
  const operation = operations.get(kindOf(body.operation))?.read(body.operation)
  if (operation === undefined) return refused('NOT_SUPPORTED')
  if (isLeft(operation)) return refused(operation.left)
  if (namesTooMany(operation.right.needs)) return refused('TRANSACTION_OVERSIZE')
  const required = yield* requiredNow(books, occasion.payer, operation.right.needs)
  // Whoever names an account or a topic that is not there is told so by the operation itself.
  if (!isLeft(required)) {
    const { signed } = witness(sigMap, primitivesIn(required.right), signedTextOf(occasion.settings.ledgerID, body))
    const missing = missingFrom(required.right, signed)
    if (missing !== undefined) return refused(missing)
  }
  const performed = yield* performSafely(books, operation.right, occasion)
  if (isLeft(performed)) return refused(performed.left)
  return isLeft(required) ? refused('INVALID_SIGNATURE') : { status: 'SUCCESS', receipt: performed.right }
}

export const submitFlow = (operations: Operations): SubmitFlow =>
  transactionFlow('Submit', SignedTransactionC, (signed) => ({
    purpose: 'submit',
    kind: kindOf(signed.body.operation),
    work: (books, occasion) => submitWork(books, signed, operations, occasion),
  }))
