/**
 * The schedule that a sign or a delete is about, or why there is none. The seed's rules know one answer for whatever
 * is gone; the later ones tell executed and deleted schedules apart until their time is over.
 */
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import type { FlowBody } from 'carillon'
import type { Books } from '../Books.js'
import type { ScheduleID } from '../model/EntityId.js'
import type { ResponseCode } from '../model/ResponseCode.js'
import type { PastSchedule, Schedule } from '../model/Schedule.js'
import type { Settings } from '../model/Settings.js'
import { isThere } from './scheduleBook.js'

export type NotPending = { readonly code: ResponseCode; readonly past?: PastSchedule }

export const findPending = function* (
  books: Books,
  id: ScheduleID | undefined,
  second: number,
  { onIdentical, longTerm }: Settings,
): FlowBody<Either<NotPending, Schedule>> {
  if (id === undefined) return left({ code: 'INVALID_SCHEDULE_ID' })
  const schedule = yield* books.schedules.get(books.io, id)
  if (schedule !== undefined) {
    if (isThere(schedule, second)) return right(schedule)
    return left({ code: onIdentical === 'reject' && longTerm ? 'SCHEDULE_PENDING_EXPIRATION' : 'INVALID_SCHEDULE_ID' })
  }
  const past = yield* books.past.get(books.io, id)
  if (past === undefined || !isThere(past, second)) return left({ code: 'INVALID_SCHEDULE_ID' })
  return left({ code: past.end.as === 'deleted' ? 'SCHEDULE_ALREADY_DELETED' : 'SCHEDULE_ALREADY_EXECUTED', past })
}
