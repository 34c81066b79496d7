/**
 * Books tasks into time slots and takes them out again, and moves money between accounts of the registry's own
 * small ledger. A slot comes into being with its first task and disappears with its last; what leaves one account
 * arrives in another.
 */
import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import type { FlowBody } from 'carillon'
import type { Books } from './Books.js'
import type { AccountId } from './model/Origin.js'
import { refuse, type Refusal } from './model/Refusal.js'
import { treasury, type Account } from './model/Registry.js'
import { knownExecutions, timesOf, type Task } from './model/Task.js'
import { tryPush, type UnixTime } from './model/slots.js'
import { theTaskQueue } from './states.js'

/** "For each timestamp, inserting the task id of the task into the trigger map." */
export const book = function* (books: Books, task: Task, at: UnixTime): FlowBody<Either<Refusal, void>> {
  const settings = yield* books.settings()
  const slot = (yield* books.triggerMap.get(books.io, String(at))) ?? {
    operator: books.io.me,
    at,
    tasks: [],
    weight: 0,
  }
  const pushed = tryPush(slot, task.id, task.weight, settings)
  if (isLeft(pushed)) return pushed
  yield* books.triggerMap.put(books.io, String(at), pushed.right)
  return right(undefined)
}

const without = (tasks: readonly string[], { id }: Task): readonly string[] => tasks.filter((other) => other !== id)

/** Takes a task out of a slot; says whether it was there. */
const unbook = function* (books: Books, task: Task, at: UnixTime): FlowBody<boolean> {
  const slot = yield* books.triggerMap.get(books.io, String(at))
  if (slot?.tasks.includes(task.id) !== true) return false
  const tasks = without(slot.tasks, task)
  if (tasks.length === 0) yield* books.triggerMap.take(books.io, String(at))
  else
    yield* books.triggerMap.put(books.io, String(at), {
      ...slot,
      tasks,
      weight: Math.max(0, slot.weight - task.weight),
    })
  return true
}

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
  const tasks = without(queue.tasks, task)
  if (tasks.length === 0) yield* books.taskQueue.take(books.io, theTaskQueue)
  else yield* books.taskQueue.put(books.io, theTaskQueue, { ...queue, tasks })
  return 1
}

/** An emptied page stays, as an empty one: the pages are numbered without gaps. */
const leaveMissedQueue = function* (books: Books, task: Task, most: number): FlowBody<number> {
  const { missedFirst, missedNext } = yield* books.sweeper()
  let found = 0
  for (let page = missedFirst; page < missedNext && found < most; page++) {
    const missed = yield* books.missedQueue.get(books.io, String(page))
    if (missed?.tasks.includes(task.id) !== true) continue
    yield* books.missedQueue.put(books.io, String(page), { ...missed, tasks: without(missed.tasks, task) })
    found += 1
  }
  return found
}

/** Takes a task out of the task map, all slots and both queues. Says in how many of the latter it was. */
export const remove = function* (books: Books, task: Task): FlowBody<number> {
  yield* books.taskMap.take(books.io, task.id)
  const booked = (yield* leaveSlots(books, task)) + (yield* leaveTaskQueue(books, task))
  // What is accounted for neither in a slot nor in the task queue must have been missed.
  return booked + (yield* leaveMissedQueue(books, task, knownExecutions(task.schedule) - booked))
}

const account = function* (books: Books, id: AccountId): FlowBody<Account> {
  return (yield* books.accounts.get(books.io, id)) ?? { operator: books.io.me, id, free: 0 }
}

const add = function* (books: Books, id: AccountId, amount: number): FlowBody<void> {
  const before = yield* account(books, id)
  yield* books.accounts.put(books.io, id, { ...before, free: before.free + amount })
}

/** Gives an account money that was not there before: root's privilege, which the contract checks. */
export const endow = add

export const canPay = function* (books: Books, id: AccountId, amount: number): FlowBody<boolean> {
  return (yield* account(books, id)).free >= amount
}

export const transfer = function* (
  books: Books,
  from: AccountId,
  to: AccountId,
  amount: number,
): FlowBody<Either<Refusal, void>> {
  if (!(yield* canPay(books, from, amount))) return refuse('InsufficientBalance')
  if (amount === 0) return right(undefined)
  yield* add(books, from, -amount)
  yield* add(books, to, amount)
  return right(undefined)
}

/** Takes a fee. */
export const charge = (books: Books, from: AccountId, fee: number): FlowBody<Either<Refusal, void>> =>
  transfer(books, from, treasury, fee)
