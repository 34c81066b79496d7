/**
 * ScheduleSign: adds signatures to a schedule that is there. The last one that was missing executes it, in the same
 * commit. Anybody may sign without a signature to have it looked at again, since keys change.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import { defineFlow, type FlowBody, type FlowDefinition } from 'carillon'
import type { Books } from '../Books.js'
import { executeSchedule } from '../handling/executeSchedule.js'
import { findPending } from '../handling/findPending.js'
import { handleTransaction, refused, type Worked } from '../handling/handleTransaction.js'
import { signSchedule } from '../handling/readiness.js'
import { SignedScheduleSignC, type ScheduleSign, type SignedTransaction } from '../model/TransactionBody.js'
import type { Response } from '../model/TransactionRecord.js'
import type { Occasion, Operations } from '../operations/Operation.js'

type Signed = SignedTransaction<ScheduleSign>
export type ScheduleSignFlow = FlowDefinition<Signed, Response>

const work = function* (books: Books, signed: Signed, operations: Operations, occasion: Occasion): FlowBody<Worked> {
  const { settings, consensusTimestamp } = occasion
  const found = yield* findPending(books, signed.body.operation.scheduleID, consensusTimestamp.seconds, settings)
  if (isLeft(found)) return refused(found.left.code)
  const schedule = found.right
  const signing = yield* signSchedule(books, schedule, signed, settings)
  if (isLeft(signing)) return refused(signing.left)
  const { keys, added, isReady } = signing.right
  const executes = isReady && !schedule.waitForExpiry
  if (added === 0 && !executes) return refused('NO_NEW_VALID_SIGNATURES')
  if (added > 0)
    yield* books.signatories.put(books.io, schedule.schedule, {
      operator: books.io.me,
      schedule: schedule.schedule,
      keys,
    })
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
  defineFlow({
    name: 'scheduled-transactions/ScheduleSign',
    input: SignedScheduleSignC,
    run: (io, signed): FlowBody<Response> =>
      handleTransaction(io, signed, {
        purpose: 'sign',
        kind: 'scheduleSign',
        precheck: (_books, { settings }) =>
          settings.onIdentical === 'reject' && signed.body.operation.sigMap !== undefined
            ? 'INVALID_TRANSACTION_BODY'
            : undefined,
        work: (books, occasion) => work(books, signed, operations, occasion),
      }),
  })
