/**
 * Works off the queues within what is left of a sweep's budget: first the task queue, then, if anything is left, the
 * missed queue. Missed tasks are reported, never executed.
 */
import type { FlowBody } from 'carillon'
import type { Books } from '../Books.js'
import { weightOf } from '../model/Action.js'
import { theSweeper, theTaskQueue } from '../states.js'
import { runTask, tellEnd } from './runTask.js'
import { settleExecution } from './settleExecution.js'

/** What a sweep has left to spend: weight, and places in its transaction. */
export type Purse = { weight: number; places: number }

const spend = (purse: Purse, weight: number): boolean => {
  if (purse.places < 1 || purse.weight < weight) return false
  purse.weight -= weight
  purse.places -= 1
  return true
}

/** "From here we just keep grabbing the first task from the task queue and executing it until we run out of weight." */
export const runTaskQueue = function* (books: Books, purse: Purse): FlowBody<void> {
  const { io } = books
  const queue = yield* books.taskQueue.get(io, theTaskQueue)
  if (queue === undefined) return
  const settings = yield* books.settings()
  let done = 0
  for (const id of queue.tasks) {
    const task = yield* books.taskMap.get(io, id)
    if (!spend(purse, task === undefined ? settings.missedWeight : weightOf(task.action, settings))) break
    done += 1
    if (task === undefined) books.tell({ event: 'TaskNotFound', id })
    else yield* runTask(books, task, queue.at)
  }
  if (done === 0) return
  if (done === queue.tasks.length) yield* books.taskQueue.take(io, theTaskQueue)
  else yield* books.taskQueue.put(io, theTaskQueue, { ...queue, tasks: queue.tasks.slice(done) })
}

/** Reports one page as far as the purse allows; says whether it is done with. */
const reportPage = function* (books: Books, purse: Purse, page: number): FlowBody<boolean> {
  const { io } = books
  const missed = yield* books.missedQueue.get(io, String(page))
  if (missed === undefined) return true
  const { missedWeight } = yield* books.settings()
  let done = 0
  for (const id of missed.tasks) {
    if (!spend(purse, missedWeight)) break
    done += 1
    const task = yield* books.taskMap.get(io, id)
    if (task === undefined) {
      books.tell({ event: 'TaskNotFound', id })
      continue
    }
    tellEnd(books, task, missed.at, { kind: 'missed' })
    yield* settleExecution(books, task, { kind: 'missed' })
  }
  if (done === missed.tasks.length) {
    yield* books.missedQueue.take(io, String(page))
    return true
  }
  if (done > 0) yield* books.missedQueue.put(io, String(page), { ...missed, tasks: missed.tasks.slice(done) })
  return false
}

export const reportMissed = function* (books: Books, purse: Purse): FlowBody<void> {
  const { missedFirst, missedNext } = yield* books.sweeper()
  let first = missedFirst
  while (first < missedNext && (yield* reportPage(books, purse, first))) first += 1
  if (first === missedFirst) return
  yield* books.sweeperMap.put(books.io, theSweeper, { ...(yield* books.sweeper()), missedFirst: first })
}
