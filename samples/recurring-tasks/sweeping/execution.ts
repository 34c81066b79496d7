/**
 * Executes the action of one task, now, and accounts for it: whether it ran, failed or was missed, it counts as
 * one. After the last of a fixed schedule the task is complete; a recurring task pays for its next execution and
 * is booked for it.
 */
import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import type { FlowBody } from 'carillon'
import type { Books } from '../Books.js'
import { book, canPay, charge, remove, transfer } from '../booking.js'
import { refuse, type Refusal } from '../model/Refusal.js'
import { nextOpenOnGrid, weightOf, type Task } from '../model/Task.js'
import { instantOf, type UnixTime } from '../model/slots.js'

/** How an execution ended; a call is `triggered` and reports later. */
export type Ended =
  { readonly kind: 'executed' | 'missed' | 'triggered' } | { readonly kind: 'failed'; readonly error: string }

const counted = (task: Task, ended: Ended): Task => {
  const { counts } = task
  switch (ended.kind) {
    case 'executed':
      return { ...task, counts: { ...counts, executed: counts.executed + 1 } }
    case 'failed':
      return { ...task, counts: { ...counts, failed: counts.failed + 1 } }
    case 'missed':
      return { ...task, counts: { ...counts, missed: counts.missed + 1 } }
    case 'triggered':
      return { ...task, calling: task.calling + 1 }
  }
}

/** Keeps the task, or takes it out of the task map when nothing of it is left to happen. */
const keepOrComplete = function* (books: Books, task: Task): FlowBody<void> {
  const isComplete = task.schedule.kind === 'fixed' && task.schedule.executionsLeft === 0 && task.calling === 0
  if (!isComplete) {
    yield* books.taskMap.put(books.io, task.id, task)
    return
  }
  yield* books.taskMap.take(books.io, task.id)
  books.tell({ event: 'TaskCompleted', id: task.id, who: task.owner })
}

/** A slot that is full costs nothing, and an account that cannot pay takes no place. */
const bookNext = function* (books: Books, task: Task, next: UnixTime): FlowBody<Either<Refusal, void>> {
  const fee = task.weight * (yield* books.settings()).feePerWeight
  if (!(yield* canPay(books, task.owner, fee))) return refuse('InsufficientBalance')
  const booked = yield* book(books, task, next)
  return isLeft(booked) ? booked : yield* charge(books, task.owner, fee)
}

const reschedule = function* (books: Books, task: Task, ended: Ended): FlowBody<void> {
  if (task.schedule.kind !== 'recurring') return
  const about = { id: task.id, who: task.owner }
  if (ended.kind === 'failed' && task.abortErrors.includes(ended.error)) {
    yield* books.taskMap.take(books.io, task.id)
    books.tell({ event: 'TaskNotRescheduled', ...about, error: ended.error })
    return
  }
  const { next: last, frequency } = task.schedule
  const next = nextOpenOnGrid(last, frequency, yield* books.limits())
  const again = {
    ...task,
    schedule: { ...task.schedule, next },
    weight: weightOf(task.action, yield* books.settings()),
  }
  const booked = yield* bookNext(books, again, next)
  if (isLeft(booked)) {
    yield* books.taskMap.take(books.io, task.id)
    books.tell({ event: 'TaskRescheduleFailed', ...about, error: booked.left })
    return
  }
  yield* books.taskMap.put(books.io, task.id, again)
  books.tell({ event: 'TaskRescheduled', ...about, at: next })
}

/** Accounts for one execution of a slot. */
export const settleExecution = function* (books: Books, task: Task, ended: Ended): FlowBody<void> {
  const after = counted(task, ended)
  if (after.schedule.kind === 'recurring') {
    yield* reschedule(books, after, ended)
    return
  }
  const executionsLeft = after.schedule.executionsLeft - 1
  yield* keepOrComplete(books, { ...after, schedule: { ...after.schedule, executionsLeft } })
}

/** Accounts for a call that has come back. */
export const settleCall = function* (books: Books, task: Task, ended: Ended): FlowBody<void> {
  const after = { ...counted(task, ended), calling: task.calling - 1 }
  if (after.schedule.kind === 'recurring' && ended.kind === 'failed' && after.abortErrors.includes(ended.error)) {
    yield* remove(books, task)
    books.tell({ event: 'TaskNotRescheduled', id: task.id, who: task.owner, error: ended.error })
    return
  }
  yield* keepOrComplete(books, after)
}

const act = function* (books: Books, task: Task, at: UnixTime): FlowBody<Ended> {
  const { action, owner, id } = task
  const about = { id, who: owner, at }
  switch (action.kind) {
    case 'notify':
      books.tell({ event: 'Notify', ...about, message: action.message })
      return { kind: 'executed' }
    case 'transfer': {
      const moved = yield* transfer(books, owner, action.to, action.amount)
      if (isLeft(moved)) {
        books.tell({ event: 'TransferFailed', ...about, error: moved.left })
        return { kind: 'failed', error: moved.left }
      }
      books.tell({ event: 'SuccessfullyTransferredFunds', ...about })
      return { kind: 'executed' }
    }
    case 'call':
      yield* books.calls.put(books.io, `${id} ${at}`, {
        operator: books.io.me,
        task: id,
        incarnation: task.incarnation,
        owner,
        at,
        startAt: instantOf(books.now),
        flow: action.flow,
        input: action.input,
      })
      return { kind: 'triggered' }
  }
}

/** Makes known how an execution ended; a call that is under way has not ended. */
export const tellEnd = (books: Books, { id, owner }: Pick<Task, 'id' | 'owner'>, at: UnixTime, ended: Ended): void => {
  const about = { id, who: owner, at }
  if (ended.kind === 'executed') books.tell({ event: 'TaskExecuted', ...about })
  if (ended.kind === 'failed') books.tell({ event: 'TaskExecutionFailed', ...about, error: ended.error })
  if (ended.kind === 'missed') books.tell({ event: 'TaskMissed', ...about })
}

export const runTask = function* (books: Books, task: Task, at: UnixTime): FlowBody<void> {
  books.tell({ event: 'TaskTriggered', id: task.id, who: task.owner, at })
  const ended = yield* act(books, task, at)
  tellEnd(books, task, at, ended)
  yield* settleExecution(books, task, ended)
}
