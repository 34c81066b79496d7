/**
 * Works off the queues within what is left of a sweep's budget: first the task queue, then, if anything is left, the
 * missed queue. Missed tasks are reported, never executed.
 */
import type { FlowBody } from 'carillon'
import { remove } from '../booking.js'
import type { Books } from '../Books.js'
import type { MissedPage, TaskQueue } from '../model/queues.js'
import { knownExecutions } from '../model/Schedule.js'
import type { Task } from '../model/Task.js'
import type { UnixTime } from '../model/timeSlots.js'
import { theSweeper, theTaskQueue } from '../states.js'
import type { Portion } from './Portion.js'
import { mayWork, payWork } from './Purse.js'
import { runTask, tellEnd } from './runTask.js'
import { settleExecution, type Ended } from './settleExecution.js'

/** Tells how an execution ended and accounts for it; what cannot be accounted for takes its task with it. */
const end = function* (books: Books, task: Task, at: UnixTime, ended: Ended, { remedy }: Portion): FlowBody<void> {
  tellEnd(books, task, at, ended)
  if (remedy?.kind !== 'drop') return yield* settleExecution(books, task, ended)
  yield* remove(books, task)
  const unused = Math.max(0, knownExecutions(task.schedule) - 1)
  books.tell({ event: 'TaskCancelled', id: task.id, who: task.owner, unused, error: remedy.error })
}

const putQueue = (books: Books, queue: TaskQueue, tasks: readonly string[]): FlowBody<unknown> =>
  tasks.length === 0
    ? books.taskQueue.take(books.io, theTaskQueue)
    : books.taskQueue.put(books.io, theTaskQueue, { ...queue, tasks })

const runFirst = function* (portion: Portion, queue: TaskQueue, id: string, task: Task | undefined): FlowBody<void> {
  const { books, remedy } = portion
  const others = queue.tasks.slice(1)
  yield* putQueue(books, queue, remedy?.kind === 'defer' ? [...others, id] : others)
  if (remedy?.kind === 'defer') return
  if (task === undefined) books.tell({ event: 'TaskNotFound', id })
  else if (remedy === undefined) yield* runTask(books, task, queue.at)
  else yield* end(books, task, queue.at, { kind: 'failed', error: remedy.error }, portion)
}

/** "From here we just keep grabbing the first task from the task queue and executing it until we run out of weight." */
export const runTaskQueue = function* (portion: Portion): FlowBody<void> {
  const { books, purse } = portion
  const { missedWeight } = yield* books.settings()
  for (;;) {
    const queue = yield* books.taskQueue.get(books.io, theTaskQueue)
    const [id] = queue?.tasks ?? []
    if (queue === undefined || id === undefined) return
    const task = yield* books.taskMap.get(books.io, id)
    const weight = task?.weight ?? missedWeight
    if (!mayWork(purse, weight) || !(yield* portion.fit(runFirst(portion, queue, id, task)))) return
    payWork(purse, weight)
  }
}

const putPage = function* (books: Books, page: MissedPage, tasks: readonly string[]): FlowBody<void> {
  if (tasks.length > 0) return yield* books.missedQueue.put(books.io, String(page.page), { ...page, tasks })
  yield* books.missedQueue.take(books.io, String(page.page))
  const sweeper = yield* books.sweeper()
  yield* books.sweeperMap.put(books.io, theSweeper, { ...sweeper, missedFirst: page.page + 1 })
}

const reportFirst = function* (portion: Portion, page: MissedPage): FlowBody<void> {
  const { books, remedy } = portion
  const [id, ...others] = page.tasks
  yield* putPage(books, page, remedy?.kind === 'defer' && id !== undefined ? [...others, id] : others)
  if (remedy?.kind === 'defer' || id === undefined) return
  const task = yield* books.taskMap.get(books.io, id)
  if (task === undefined) books.tell({ event: 'TaskNotFound', id })
  else yield* end(books, task, page.at, { kind: 'missed' }, portion)
}

export const reportMissed = function* (portion: Portion): FlowBody<void> {
  const { books, purse } = portion
  const { missedWeight } = yield* books.settings()
  for (;;) {
    const { missedFirst, missedNext } = yield* books.sweeper()
    if (missedFirst === missedNext) return
    const page = yield* books.missedQueue.get(books.io, String(missedFirst))
    if (page === undefined) throw new Error(`The missed queue has no page ${missedFirst}, of ${missedNext}.`)
    if (!mayWork(purse, missedWeight) || !(yield* portion.fit(reportFirst(portion, page)))) return
    payWork(purse, missedWeight)
  }
}
