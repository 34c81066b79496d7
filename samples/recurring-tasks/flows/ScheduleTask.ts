/**
 * Schedules a task: validate, then book every slot, charge, and store, all in one transaction. If one of the slots is
 * full, none is booked.
 */
import * as t from 'io-ts'
import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import type { FlowBody } from 'carillon'
import { book } from '../booking.js'
import { defineRequest, type Books } from '../Books.js'
import { commands } from '../contract.js'
import { ActionC, checkAction, feeFor, weightOf } from '../model/Action.js'
import { isShortName, OriginC } from '../model/Origin.js'
import { refuse, type Refusal } from '../model/Refusal.js'
import { knownExecutions, ScheduleRequestC, scheduleOf, timesOf } from '../model/Schedule.js'
import { taskIdOf, type Task } from '../model/Task.js'
import { isReserved } from '../model/timeSlots.js'
import { canPay, charge } from '../money.js'

export const ScheduleTaskC = t.readonly(
  t.intersection([
    t.strict({ origin: OriginC, providedId: t.string, schedule: ScheduleRequestC, action: ActionC }),
    t.exact(t.partial({ abortErrors: t.readonlyArray(t.string) })),
  ]),
  'ScheduleTask',
)
export type ScheduleTask = t.TypeOf<typeof ScheduleTaskC>

export type Scheduled = {
  readonly id: string
  /** How many times were given, and how many are booked once duplicates are gone. */
  readonly given: number
  readonly booked: number
  readonly fee: number
}

const work = function* (books: Books, request: ScheduleTask): FlowBody<Either<Refusal, Scheduled>> {
  const { origin, providedId, action } = request
  const settings = yield* books.settings()
  if (origin.kind !== 'signed') return refuse('NotSigned')
  const owner = origin.account
  const checked = checkAction(action, owner, settings)
  if (isLeft(checked)) return checked
  if (providedId === '') return refuse('EmptyProvidedId')
  const abortErrors = request.abortErrors ?? []
  if (abortErrors.length > 10 || ![owner, providedId, ...abortErrors].every(isShortName)) return refuse('NameTooLong')
  const schedule = scheduleOf(request.schedule, yield* books.limits())
  if (isLeft(schedule)) return schedule

  const booked = knownExecutions(schedule.right)
  const fee = feeFor(action, booked, settings)
  if (!(yield* canPay(books, owner, fee))) return refuse('InsufficientBalance')
  const id = taskIdOf(owner, providedId)
  if ((yield* books.taskMap.get(books.io, id)) !== undefined) return refuse('DuplicateTask')

  const task: Task = {
    operator: books.io.me,
    id,
    owner,
    providedId,
    schedule: schedule.right,
    action,
    abortErrors,
    counts: { executed: 0, failed: 0, missed: 0 },
    calling: 0,
    weight: weightOf(action, settings),
    incarnation: yield* books.io.newId(),
  }
  for (const time of timesOf(task.schedule)) {
    if (isReserved(time, settings)) return refuse('TimeSlotFull')
    const done = yield* book(books, task, time)
    if (isLeft(done)) return done
  }
  const paid = yield* charge(books, owner, fee)
  if (isLeft(paid)) return paid
  yield* books.taskMap.put(books.io, id, task)
  books.tell({ event: 'TaskScheduled', who: owner, id })
  return right({ id, given: request.schedule.kind === 'fixed' ? request.schedule.times.length : 1, booked, fee })
}

export const ScheduleTask = defineRequest({
  name: 'ScheduleTask',
  input: ScheduleTaskC,
  purpose: commands.schedule,
  work,
})
