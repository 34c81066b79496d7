/**
 * ScheduleDelete: the admin key takes a schedule back. Without an admin key nobody can.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import { defineFlow, type FlowBody } from 'carillon'
import type { Books } from '../Books.js'
import { findPending } from '../handling/findPending.js'
import { handleTransaction, refused, type Worked } from '../handling/handleTransaction.js'
import { hasSigned } from '../handling/precheck.js'
import { endSchedule } from '../handling/scheduleBook.js'
import {
  SignedScheduleDeleteC,
  type ScheduleDelete as Asked,
  type SignedTransaction,
} from '../model/TransactionBody.js'
import type { Response } from '../model/TransactionRecord.js'
import type { Occasion } from '../operations/Operation.js'

const work = function* (
  books: Books,
  signed: SignedTransaction<Asked>,
  { settings, consensusTimestamp }: Occasion,
): FlowBody<Worked> {
  const { schedule: id } = signed.body.operation
  const found = yield* findPending(books, id, consensusTimestamp.seconds, settings)
  const schedule = isLeft(found) ? found.left.past : found.right
  if (schedule?.adminKey === null) return refused('SCHEDULE_IS_IMMUTABLE')
  if (schedule !== undefined && !hasSigned(schedule.adminKey, signed, settings)) return refused('INVALID_SIGNATURE')
  if (isLeft(found)) return refused(found.left.code)
  const signers = (yield* books.signatories.get(books.io, found.right.schedule))?.keys ?? []
  const end = { as: 'deleted', at: consensusTimestamp, result: null } as const
  yield* endSchedule(books, found.right, signers, end, settings)
  return { status: 'SUCCESS' }
}

export const ScheduleDelete = defineFlow({
  name: 'scheduled-transactions/ScheduleDelete',
  input: SignedScheduleDeleteC,
  run: (io, signed): FlowBody<Response> =>
    handleTransaction(io, signed, {
      purpose: 'delete',
      kind: 'scheduleDelete',
      work: (books, occasion) => work(books, signed, occasion),
    }),
})
