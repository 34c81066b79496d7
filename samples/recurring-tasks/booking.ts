/**
 * Books tasks into time slots and takes them out again. A slot comes into being with its first task and disappears
 * with its last.
 */
import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import type { FlowBody } from 'carillon'
import type { Books } from './Books.js'
import { weightOf } from './model/Action.js'
import type { Refusal } from './model/Refusal.js'
import type { Task } from './model/Task.js'
import { tryPush } from './model/TimeSlot.js'
import type { UnixTime } from './model/timeSlots.js'

/** "For each timestamp, inserting the task id of the task into the trigger map." */
export const book = function* (books: Books, task: Task, at: UnixTime): FlowBody<Either<Refusal, void>> {
  const settings = yield* books.settings()
  const slot = (yield* books.triggerMap.get(books.io, String(at))) ?? {
    operator: books.io.me,
    at,
    tasks: [],
    weight: 0,
  }
  const pushed = tryPush(slot, task.id, weightOf(task.action, settings), settings)
  if (isLeft(pushed)) return pushed
  yield* books.triggerMap.put(books.io, String(at), pushed.right)
  return right(undefined)
}

/** Takes a task out of a slot; says whether it was there. */
export const unbook = function* (books: Books, task: Task, at: UnixTime): FlowBody<boolean> {
  const slot = yield* books.triggerMap.get(books.io, String(at))
  if (slot?.tasks.includes(task.id) !== true) return false
  const tasks = slot.tasks.filter((id) => id !== task.id)
  if (tasks.length === 0) {
    yield* books.triggerMap.take(books.io, String(at))
    return true
  }
  const weight = slot.weight - weightOf(task.action, yield* books.settings())
  yield* books.triggerMap.put(books.io, String(at), { ...slot, tasks, weight })
  return true
}
