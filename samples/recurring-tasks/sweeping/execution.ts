/**
 * Executes the action of one task, now, and accounts for it: whether it ran, failed or was missed, it counts as
 * one. After the last of a fixed schedule the task is complete; a recurring task pays for its next execution and
 * is booked for it.
 */
import type { FlowBody } from 'carillon'
import type { Books } from '../Books.js'
import { book, canPay, remove, transfer } from '../booking.js'
import { endings } from '../events.js'
import type { Refusal } from '../model/Refusal.js'
import { nextOpenOnGrid, weightOf, type Task } from '../model/Task.js'
import { instantOf, type UnixTime } from '../model/slots.js'

/** How an execution ended; a call is `triggered` and reports later. */
export type Ended =
  { readonly kind: 'executed' | 'missed' | 'triggered' } | { readonly kind: 'failed'; readonly error: string }

const counted = (task: Task, { kind }: Ended): Task =>
  kind === 'triggered'
    ? { ...task, calling: task.calling + 1 }
    : { ...task, counts: { ...task.counts, [kind]: task.counts[kind] + 1 } }

/** Keeps the task, or takes it out of the task map when nothing of it is left to happen. */
const keepOrComplete = function* (books: Books, task: Task): FlowBody<void> {
  const isComplete = task.schedule.kind === 'fixed' && task.schedule.executionsLeft === 0 && task.calling === 0
  yield* books.tasks.keepIf(!isComplete, task)
  if (isComplete) books.tell({ event: 'TaskCompleted' }, task)
}

const mustAbort = (
  { schedule, abortErrors }: Task,
  ended: Ended,
): ended is Extract<Ended, { readonly kind: 'failed' }> =>
  schedule.kind === 'recurring' && ended.kind === 'failed' && abortErrors.includes(ended.error)

/** A slot that is full costs nothing, and an account that cannot pay takes no place. */
const bookNext = function* (books: Books, task: Task, next: UnixTime): FlowBody<Refusal | undefined> {
  const fee = task.weight * (yield* books.settings()).feePerWeight
  if (!(yield* canPay(books, task.owner, fee))) return 'InsufficientBalance'
  return (yield* book(books, task, next)) ?? (yield* transfer(books, task.owner, fee))
}

/** Accounts for one execution of a slot. */
export const settleExecution = function* (books: Books, before: Task, ended: Ended): FlowBody<void> {
  const task = counted(before, ended)
  const { schedule } = task
  if (schedule.kind === 'fixed') {
    const executionsLeft = schedule.executionsLeft - 1
    return yield* keepOrComplete(books, { ...task, schedule: { ...schedule, executionsLeft } })
  }
  if (mustAbort(task, ended)) {
    yield* books.tasks.take(task.id)
    books.tell({ event: 'TaskNotRescheduled', error: ended.error }, task)
    return
  }
  const next = nextOpenOnGrid(schedule.next, schedule.frequency, yield* books.limits())
  const weight = weightOf(task.action, yield* books.settings())
  const again = { ...task, schedule: { ...schedule, next }, weight }
  const problem = yield* bookNext(books, again, next)
  yield* books.tasks.keepIf(problem === undefined, again)
  if (problem === undefined) books.tell({ event: 'TaskRescheduled', at: next }, task)
  else books.tell({ event: 'TaskRescheduleFailed', error: problem }, task)
}

/** Accounts for a call that has come back. */
export const settleCall = function* (books: Books, task: Task, ended: Ended): FlowBody<void> {
  if (!mustAbort(task, ended))
    return yield* keepOrComplete(books, { ...counted(task, ended), calling: task.calling - 1 })
  yield* remove(books, task)
  books.tell({ event: 'TaskNotRescheduled', error: ended.error }, task)
}

const act = function* (books: Books, task: Task, at: UnixTime): FlowBody<Ended> {
  const { action, owner, id, incarnation } = task
  switch (action.kind) {
    case 'notify':
      books.tell({ event: 'Notify', at, message: action.message }, task)
      return { kind: 'executed' }
    case 'transfer': {
      const error = yield* transfer(books, owner, action.amount, action.to)
      if (error === undefined) books.tell({ event: 'SuccessfullyTransferredFunds', at }, task)
      else books.tell({ event: 'TransferFailed', at, error }, task)
      return error === undefined ? { kind: 'executed' } : { kind: 'failed', error }
    }
    case 'call': {
      const { flow, input } = action
      const startAt = instantOf(books.now)
      yield* books.calls.put({ operator: books.io.me, task: id, incarnation, owner, at, startAt, flow, input })
      return { kind: 'triggered' }
    }
  }
}

/** Makes known how an execution ended; a call that is under way has not ended. */
export const tellEnd = (books: Books, task: Pick<Task, 'id' | 'owner'>, at: UnixTime, ended: Ended): void => {
  if (ended.kind === 'triggered') return
  const error = ended.kind === 'failed' ? { error: ended.error } : {}
  books.tell({ event: endings[ended.kind], at, ...error }, task)
}

export const runTask = function* (books: Books, task: Task, at: UnixTime): FlowBody<void> {
  books.tell({ event: 'TaskTriggered', at }, task)
  const ended = yield* act(books, task, at)
  tellEnd(books, task, at, ended)
  yield* settleExecution(books, task, ended)
}
