/**
 * Cancels a task: takes it out of all remaining slots in descending order, out of both queues, and out of the task
 * map. The owner may, and root. Nothing is refunded; the event says what was left unused.
 */
import * as t from 'io-ts'
import { right, type Either } from 'fp-ts/lib/Either.js'
import { defineFlow, type FlowBody } from 'carillon'
import { unbook } from '../booking.js'
import { inBooks, type Books } from '../Books.js'
import { commands } from '../contract.js'
import { OriginC } from '../model/Origin.js'
import { refuse, type Outcome, type Refusal } from '../model/Refusal.js'
import { knownExecutions, timesOf } from '../model/Schedule.js'
import type { Task } from '../model/Task.js'
import { theTaskQueue } from '../states.js'

export const CancelTaskC = t.readonly(t.strict({ origin: OriginC, id: t.string }), 'CancelTask')
export type CancelTask = t.TypeOf<typeof CancelTaskC>

export type Cancelled = {
  readonly id: string
  /** Executions that were paid for and will not happen. */
  readonly unused: number
}

const withoutTask = (tasks: readonly string[], { id }: Task): readonly string[] => tasks.filter((other) => other !== id)

const leaveSlots = function* (books: Books, task: Task): FlowBody<number> {
  const { lastMissedSlot } = yield* books.sweeper()
  let found = 0
  for (const time of [...timesOf(task.schedule)].reverse()) {
    // Slots up to here have been swept into the queues.
    if (time <= lastMissedSlot) break
    if (yield* unbook(books, task, time)) found += 1
  }
  return found
}

const leaveTaskQueue = function* (books: Books, task: Task): FlowBody<number> {
  const queue = yield* books.taskQueue.get(books.io, theTaskQueue)
  if (queue?.tasks.includes(task.id) !== true) return 0
  const tasks = withoutTask(queue.tasks, task)
  if (tasks.length === 0) yield* books.taskQueue.take(books.io, theTaskQueue)
  else yield* books.taskQueue.put(books.io, theTaskQueue, { ...queue, tasks })
  return 1
}

/** An emptied page stays, as an empty one: the pages are numbered without gaps. */
const leaveMissedQueue = function* (books: Books, task: Task): FlowBody<number> {
  const { missedFirst, missedNext } = yield* books.sweeper()
  let found = 0
  for (let page = missedFirst; page < missedNext; page++) {
    const missed = yield* books.missedQueue.get(books.io, String(page))
    if (missed?.tasks.includes(task.id) !== true) continue
    yield* books.missedQueue.put(books.io, String(page), { ...missed, tasks: withoutTask(missed.tasks, task) })
    found += 1
  }
  return found
}

const work = function* (books: Books, { origin, id }: CancelTask): FlowBody<Either<Refusal, Cancelled>> {
  if (origin.kind === 'unsigned') return refuse('NotSigned')
  const task = yield* books.taskMap.get(books.io, id)
  if (task === undefined) return refuse('TaskDoesNotExist')
  if (origin.kind === 'signed' && origin.account !== task.owner) return refuse('NotTaskOwner')

  const unused = knownExecutions(task.schedule)
  const booked = yield* leaveSlots(books, task)
  const queued = yield* leaveTaskQueue(books, task)
  const known = booked + queued
  // What is accounted for neither in a slot nor in the task queue must have been missed.
  const missed = known >= unused ? 0 : yield* leaveMissedQueue(books, task)
  yield* books.taskMap.take(books.io, id)
  if (known + missed === 0) books.tell({ event: 'TaskNotFound', id, who: task.owner })
  books.tell({ event: 'TaskCancelled', id, who: task.owner, unused })
  return right({ id, unused })
}

export const CancelTask = defineFlow({
  name: 'recurring-tasks/CancelTask',
  input: CancelTaskC,
  run: (io, request): FlowBody<Outcome<Cancelled>> => inBooks(io, commands.cancel, (books) => work(books, request)),
})
