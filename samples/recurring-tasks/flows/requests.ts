/**
 * What can be asked of the registry: schedule and cancel a task, and for root and the committee open it, change
 * its settings, give accounts money, stop and start all tasks. Each is one transaction, or a refusal that has
 * changed nothing.
 */
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { IntegerC, type FlowBody } from 'carillon'
import { record } from '../../shared/record.js'
import { defineRequest, type Books } from '../Books.js'
import { book, canPay, charge, endow, remove } from '../booking.js'
import { commands } from '../contract.js'
import { AccountIdC, isShortName, OriginC, type Origin } from '../model/Origin.js'
import { done, refuse, type Done, type Refusal } from '../model/Refusal.js'
import type { Registry } from '../model/Registry.js'
import { problemWith, SettingsC } from '../model/Settings.js'
import {
  ActionC,
  checkAction,
  feeFor,
  knownExecutions,
  scheduleOf,
  ScheduleRequestC,
  taskIdOf,
  timesOf,
  weightOf,
  type Task,
} from '../model/Task.js'
import { instantOf, isReserved, slotOf } from '../model/slots.js'
import { theRegistry, theSweeper } from '../states.js'

export const ScheduleTaskC = record(
  'ScheduleTask',
  { origin: OriginC, providedId: t.string, schedule: ScheduleRequestC, action: ActionC },
  { abortErrors: t.readonlyArray(t.string) },
)
export type ScheduleTask = t.TypeOf<typeof ScheduleTaskC>

export type Scheduled = {
  readonly id: string
  /** How many times were given, and how many are booked once duplicates are gone. */
  readonly given: number
  readonly booked: number
  readonly fee: number
}

const scheduleTask = function* (books: Books, request: ScheduleTask): FlowBody<Either<Refusal, Scheduled>> {
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

/**
 * Validates, then books every slot, charges, and stores, all in one transaction. If one of the slots is full, none is
 * booked.
 */
export const ScheduleTask = defineRequest({
  name: 'ScheduleTask',
  input: ScheduleTaskC,
  purpose: commands.schedule,
  work: scheduleTask,
})

export const CancelTaskC = record('CancelTask', { origin: OriginC, id: t.string })
export type CancelTask = t.TypeOf<typeof CancelTaskC>

export type Cancelled = {
  readonly id: string
  /** Executions that were paid for and will not happen. */
  readonly unused: number
}

const cancelTask = function* (books: Books, { origin, id }: CancelTask): FlowBody<Either<Refusal, Cancelled>> {
  if (origin.kind === 'unsigned') return refuse('NotSigned')
  const task = yield* books.taskMap.get(books.io, id)
  if (task === undefined) return refuse('TaskDoesNotExist')
  if (origin.kind === 'signed' && origin.account !== task.owner) return refuse('NotTaskOwner')

  const unused = knownExecutions(task.schedule)
  if ((yield* remove(books, task)) === 0) books.tell({ event: 'TaskNotFound', id, who: task.owner })
  books.tell({ event: 'TaskCancelled', id, who: task.owner, unused })
  return right({ id, unused })
}

/**
 * Takes a task out of all remaining slots in descending order, out of both queues, and out of the task map. The owner
 * may, and root. Nothing is refunded; the event says what was left unused.
 */
export const CancelTask = defineRequest({
  name: 'CancelTask',
  input: CancelTaskC,
  purpose: commands.cancel,
  work: cancelTask,
})

const OpenC = t.readonly(
  t.strict({
    settings: SettingsC,
    committee: t.readonlyArray(AccountIdC),
    callable: t.readonlyArray(t.string),
  }),
)

/** Opens the registry; opening it again changes nothing. */
export const Open = defineRequest({
  name: 'Open',
  input: OpenC,
  purpose: commands.govern,
  *work(books, { settings, committee, callable }): FlowBody<Either<Refusal, Done>> {
    const { io } = books
    if ((yield* books.registryMap.get(io, theRegistry)) !== undefined) return right(done)
    if (problemWith(settings) !== undefined) return left('InvalidSettings')
    const slot = slotOf(books.now, settings)
    yield* books.registryMap.put(io, theRegistry, { operator: io.me, settings, stopped: false, committee, callable })
    yield* books.sweeperMap.put(io, theSweeper, {
      operator: io.me,
      lastTimeSlot: slot,
      lastMissedSlot: slot,
      missedFirst: 0,
      missedNext: 0,
      sweptAt: instantOf(slot),
      nextSweepAt: null,
      failure: null,
    })
    return right(done)
  },
})

/** Changes the settings. The length of a slot stays, since booked slots are on its grid. */
export const Reconfigure = defineRequest({
  name: 'Reconfigure',
  input: t.readonly(t.strict({ origin: OriginC, settings: SettingsC })),
  purpose: commands.govern,
  *work(books, { origin, settings }): FlowBody<Either<Refusal, Done>> {
    if (origin.kind !== 'root') return left('NotAllowed')
    const registry = yield* books.registry()
    if (problemWith(settings) !== undefined || settings.slotSeconds !== registry.settings.slotSeconds)
      return left('InvalidSettings')
    yield* books.registryMap.put(books.io, theRegistry, { ...registry, settings })
    return right(done)
  },
})

/** Gives an account money. */
export const Endow = defineRequest({
  name: 'Endow',
  input: t.readonly(t.strict({ origin: OriginC, account: AccountIdC, amount: IntegerC })),
  purpose: commands.govern,
  *work(books, { origin, account, amount }): FlowBody<Either<Refusal, Done>> {
    if (origin.kind !== 'root') return left('NotAllowed')
    const free = (yield* books.accounts.get(books.io, account))?.free ?? 0
    if (amount < 0 || !Number.isSafeInteger(free + amount)) return left('InvalidAmount')
    if (!isShortName(account)) return left('NameTooLong')
    yield* endow(books, account, amount)
    return right(done)
  },
})

const mayDo = (origin: Origin, { committee }: Registry): boolean =>
  origin.kind === 'root' || (origin.kind === 'signed' && committee.includes(origin.account))

const input = t.readonly(t.strict({ origin: OriginC }))

/**
 * The emergency switch, for root and the committee. While stopped, nothing moves; on start the ordinary catch-up
 * reports everything that was skipped as missed.
 */
const setStopped = (name: string, stopped: boolean) =>
  defineRequest({
    name,
    input,
    purpose: commands.switch,
    *work(books, { origin }): FlowBody<Either<Refusal, Done>> {
      const registry = yield* books.registry()
      if (!mayDo(origin, registry)) return left('NotAllowed')
      if (registry.stopped === stopped)
        return left(stopped ? 'ScheduledTasksAlreadyStopped' : 'ScheduledTasksAlreadyRunning')
      yield* books.registryMap.put(books.io, theRegistry, { ...registry, stopped })
      // Slots that came due meanwhile have rung in vain, so the sweeper is woken once.
      const nextSweepAt = stopped ? null : instantOf(books.now)
      yield* books.setSweeper({ nextSweepAt })
      books.tell({ event: stopped ? 'ScheduledTasksStopped' : 'ScheduledTasksResumed' })
      return right(done)
    },
  })

export const StopTasks = setStopped('StopTasks', true)
export const StartTasks = setStopped('StartTasks', false)
