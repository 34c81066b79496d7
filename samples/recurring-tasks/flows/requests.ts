/**
 * What can be asked of the registry: schedule and cancel a task, and for root and the committee open it, change
 * its settings, give accounts money, stop and start all tasks. Each is one transaction, or a refusal that has
 * changed nothing.
 */
import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { IntegerC, type FlowBody } from 'carillon'
import { record } from '../../shared/record.js'
import { defineRequest } from '../Books.js'
import { book, canPay, credit, remove, transfer } from '../booking.js'
import { commands } from '../contract.js'
import { AccountIdC, isShortName, OriginC, type Origin } from '../model/Origin.js'
import { done, refuse, type Done, type Refusal } from '../model/Refusal.js'
import type { Registry } from '../model/Registry.js'
import { problemWith, SettingsC } from '../model/Settings.js'
import {
  ActionC,
  feeFor,
  knownExecutions,
  problemWithAction,
  scheduleOf,
  ScheduleRequestC,
  taskIdOf,
  timesOf,
  weightOf,
  type Task,
} from '../model/Task.js'
import { instantOf, isReserved, slotOf } from '../model/slots.js'
import { theRegistry } from '../states.js'

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

/**
 * Validates, then books every slot, charges, and stores, all in one transaction. If one of the slots is full, none is
 * booked.
 */
export const ScheduleTask = defineRequest(
  'ScheduleTask',
  commands.schedule,
  ScheduleTaskC,
  function* (books, request): FlowBody<Either<Refusal, Scheduled>> {
    const { origin, providedId, action, abortErrors = [] } = request
    const settings = yield* books.settings()
    if (origin.kind !== 'signed') return refuse('NotSigned')
    const owner = origin.account
    const problem = problemWithAction(action, owner, settings)
    if (problem !== undefined) return refuse(problem)
    if (providedId === '') return refuse('EmptyProvidedId')
    if (abortErrors.length > 10 || ![owner, providedId, ...abortErrors].every(isShortName)) return refuse('NameTooLong')
    const schedule = scheduleOf(request.schedule, yield* books.limits())
    if (isLeft(schedule)) return schedule

    const booked = knownExecutions(schedule.right)
    const fee = feeFor(action, booked, settings)
    if (!(yield* canPay(books, owner, fee))) return refuse('InsufficientBalance')
    const id = taskIdOf(owner, providedId)
    if ((yield* books.tasks.get(id)) !== undefined) return refuse('DuplicateTask')

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
      const full = isReserved(time, settings) ? 'TimeSlotFull' : yield* book(books, task, time)
      if (full !== undefined) return refuse(full)
    }
    const unpaid = yield* transfer(books, owner, fee)
    if (unpaid !== undefined) return refuse(unpaid)
    yield* books.tasks.put(task)
    books.tell({ event: 'TaskScheduled' }, task)
    return right({ id, given: request.schedule.kind === 'fixed' ? request.schedule.times.length : 1, booked, fee })
  },
)

/** What a cancellation comes to: the task, and the executions that were paid for and will not happen. */
export type Cancelled = { readonly id: string; readonly unused: number }

/**
 * Takes a task out of all remaining slots in descending order, out of both queues, and out of the task map. The owner
 * may, and root. Nothing is refunded; the event says what was left unused.
 */
export const CancelTask = defineRequest(
  'CancelTask',
  commands.cancel,
  record('CancelTask', { origin: OriginC, id: t.string }),
  function* (books, { origin, id }): FlowBody<Either<Refusal, Cancelled>> {
    if (origin.kind === 'unsigned') return refuse('NotSigned')
    const task = yield* books.tasks.get(id)
    if (task === undefined) return refuse('TaskDoesNotExist')
    if (origin.kind === 'signed' && origin.account !== task.owner) return refuse('NotTaskOwner')

    const unused = knownExecutions(task.schedule)
    if ((yield* remove(books, task)) === 0) books.tell({ event: 'TaskNotFound' }, task)
    books.tell({ event: 'TaskCancelled', unused }, task)
    return right({ id, unused })
  },
)

const OpenC = record('Open', {
  settings: SettingsC,
  committee: t.readonlyArray(AccountIdC),
  callable: t.readonlyArray(t.string),
})

/** Opens the registry; opening it again changes nothing. */
export const Open = defineRequest(
  'Open',
  commands.govern,
  OpenC,
  function* (books, { settings, committee, callable }): FlowBody<Either<Refusal, Done>> {
    const operator = books.io.me
    if ((yield* books.registries.get(theRegistry)) !== undefined) return right(done)
    if (problemWith(settings) !== undefined) return refuse('InvalidSettings')
    const slot = slotOf(books.now, settings)
    yield* books.registries.put({ operator, settings, stopped: false, committee, callable })
    yield* books.sweepers.put({
      operator,
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
)

/** Changes the settings. The length of a slot stays, since booked slots are on its grid. */
export const Reconfigure = defineRequest(
  'Reconfigure',
  commands.govern,
  record('Reconfigure', { origin: OriginC, settings: SettingsC }),
  function* (books, { origin, settings }): FlowBody<Either<Refusal, Done>> {
    if (origin.kind !== 'root') return refuse('NotAllowed')
    const registry = yield* books.registry()
    if (problemWith(settings) !== undefined || settings.slotSeconds !== registry.settings.slotSeconds)
      return refuse('InvalidSettings')
    yield* books.registries.put({ ...registry, settings })
    return right(done)
  },
)

/** Gives an account money. */
export const Endow = defineRequest(
  'Endow',
  commands.govern,
  record('Endow', { origin: OriginC, account: AccountIdC, amount: IntegerC }),
  function* (books, { origin, account, amount }): FlowBody<Either<Refusal, Done>> {
    if (origin.kind !== 'root') return refuse('NotAllowed')
    const free = (yield* books.accounts.get(account))?.free ?? 0
    if (amount < 0 || !Number.isSafeInteger(free + amount)) return refuse('InvalidAmount')
    if (!isShortName(account)) return refuse('NameTooLong')
    yield* credit(books, account, amount)
    return right(done)
  },
)

const mayDo = (origin: Origin, { committee }: Registry): boolean =>
  origin.kind === 'root' || (origin.kind === 'signed' && committee.includes(origin.account))

/**
 * The emergency switch, for root and the committee. While stopped, nothing moves; on start the ordinary catch-up
 * reports everything that was skipped as missed.
 */
const setStopped = (name: string, stopped: boolean) =>
  defineRequest(name, commands.switch, record(name, { origin: OriginC }), function* (books, { origin }): FlowBody<
    Either<Refusal, Done>
  > {
    const registry = yield* books.registry()
    if (!mayDo(origin, registry)) return refuse('NotAllowed')
    if (registry.stopped === stopped)
      return refuse(stopped ? 'ScheduledTasksAlreadyStopped' : 'ScheduledTasksAlreadyRunning')
    yield* books.registries.put({ ...registry, stopped })
    // Slots that came due meanwhile have rung in vain, so the sweeper is woken once.
    yield* books.setSweeper({ nextSweepAt: stopped ? null : instantOf(books.now) })
    books.tell({ event: stopped ? 'ScheduledTasksStopped' : 'ScheduledTasksResumed' })
    return right(done)
  })

export const StopTasks = setStopped('StopTasks', true)
export const StartTasks = setStopped('StartTasks', false)
