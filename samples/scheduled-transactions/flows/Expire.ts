/**
 * A schedule has reached its expiration time: one that waited for it is executed now if its signatures are there, and
 * has a failed record if they are not; any other is cleared. Started by the schedule itself, in order of expiration
 * and creation.
 */
import * as t from 'io-ts'
import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { defineFlow, type FlowBody, type FlowDefinition } from 'carillon'
import { inBooks, type Books } from '../Books.js'
import { executeSchedule } from '../handling/executeSchedule.js'
import { requiredNow } from '../handling/readiness.js'
import { endSchedule, isThere, leave } from '../handling/scheduleBook.js'
import { nextTime } from '../model/Consensus.js'
import { ScheduleIDC, type ScheduleID } from '../model/EntityId.js'
import { missingFrom } from '../model/Needs.js'
import type { ResponseCode } from '../model/ResponseCode.js'
import type { Schedule, Signatories } from '../model/Schedule.js'
import type { Operations } from '../operations/Operation.js'
import { clearName, expireName } from '../states.js'

const input = t.readonly(t.strict({ schedule: ScheduleIDC }))
type Input = t.TypeOf<typeof input>

/** What became of the schedule; undefined when it had ended before. */
export type Expired = { readonly ended: 'executed' | 'expired' | undefined }

const missingNow = function* (
  books: Books,
  schedule: Schedule,
  keys: Signatories['keys'],
): FlowBody<ResponseCode | undefined> {
  const required = yield* requiredNow(books, schedule.payerAccountID, schedule.needs)
  return isLeft(required) ? required.left : missingFrom(required.right, new Set(keys))
}

const expire = function* (books: Books, id: ScheduleID, operations: Operations): FlowBody<Either<never, Expired>> {
  const settings = yield* books.settings()
  const schedule = yield* books.schedules.get(books.io, id)
  const consensus = yield* books.consensus()
  const at = nextTime(consensus, books.now)
  if (schedule === undefined || isThere(schedule, at.seconds)) return right({ ended: undefined })
  const signers = (yield* books.signatories.get(books.io, id))?.keys ?? []
  if (schedule.waitForExpiry || settings.evaluateAtExpiry) {
    const missing = yield* missingNow(books, schedule, signers)
    if (missing === undefined || schedule.waitForExpiry) {
      const trigger = { by: 'expiry' } as const
      const why = missing === undefined ? {} : { missing }
      yield* executeSchedule(books, operations, { schedule, signers, trigger, settings, ...why })
      return right({ ended: missing === undefined ? 'executed' : 'expired' })
    }
  }
  yield* books.setConsensus({ ...consensus, last: at })
  yield* endSchedule(books, schedule, signers, { as: 'expired', at, result: null }, settings)
  return right({ ended: 'expired' })
}

export const expireFlow = (operations: Operations): FlowDefinition<Input, Expired> =>
  defineFlow({
    name: expireName,
    schedulable: true,
    input,
    *run(io, { schedule }): FlowBody<Expired> {
      const expired = yield* inBooks(io, 'expire', null, (books) => expire(books, schedule, operations))
      return isLeft(expired) ? { ended: undefined } : expired.right
    },
  })

const clear = function* (books: Books, id: ScheduleID): FlowBody<Either<never, boolean>> {
  // Asked here, so that the transaction names the parameters it was made under.
  yield* books.settings()
  const past = yield* books.past.get(books.io, id)
  if (past === undefined || past.keptUntil === null) return right(false)
  yield* books.past.put(books.io, id, { ...past, keptUntil: null })
  yield* leave(books, past)
  return right(true)
}

/** Under `reject`: an executed or deleted schedule has reached the second in which it would have expired. */
export const Clear = defineFlow({
  name: clearName,
  schedulable: true,
  input,
  *run(io, { schedule }): FlowBody<boolean> {
    const cleared = yield* inBooks(io, 'clear', null, (books) => clear(books, schedule))
    return !isLeft(cleared) && cleared.right
  },
})
