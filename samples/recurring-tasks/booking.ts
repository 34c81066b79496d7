/**
 * Books tasks into time slots and takes them out again, and moves money between accounts of the registry's own
 * small ledger. A slot comes into being with its first task and disappears with its last; what leaves one account
 * arrives in another.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import type { FlowBody } from 'carillon'
import type { Books } from './Books.js'
import type { AccountId } from './model/Origin.js'
import type { Refusal } from './model/Refusal.js'
import { treasury, type Account } from './model/Registry.js'
import { knownExecutions, timesOf, type Task } from './model/Task.js'
import { tryPush, type MissedPage, type UnixTime } from './model/slots.js'
import { theTaskQueue } from './states.js'

/** "For each timestamp, inserting the task id of the task into the trigger map." */
export const book = function* (books: Books, task: Task, at: UnixTime): FlowBody<Refusal | undefined> {
  const settings = yield* books.settings()
  const slot = (yield* books.slots.get(String(at))) ?? { operator: books.io.me, at, tasks: [], weight: 0 }
  const pushed = tryPush(slot, task.id, task.weight, settings)
  if (isLeft(pushed)) return pushed.left
  yield* books.slots.put(pushed.right)
  return undefined
}

const without = (tasks: readonly string[], { id }: Task): readonly string[] => tasks.filter((other) => other !== id)

const leaveSlots = function* (books: Books, task: Task): FlowBody<number> {
  const { lastMissedSlot } = yield* books.sweeper()
  let found = 0
  for (const time of [...timesOf(task.schedule)].reverse()) {
    // Slots up to here have been swept into the queues.
    if (time <= lastMissedSlot) break
    const slot = yield* books.slots.get(String(time))
    if (slot?.tasks.includes(task.id) !== true) continue
    const tasks = without(slot.tasks, task)
    yield* books.slots.keepIf(tasks.length > 0, { ...slot, tasks, weight: Math.max(0, slot.weight - task.weight) })
    found += 1
  }
  return found
}

const leaveTaskQueue = function* (books: Books, task: Task): FlowBody<number> {
  const queue = yield* books.queues.get(theTaskQueue)
  if (queue?.tasks.includes(task.id) !== true) return 0
  const tasks = without(queue.tasks, task)
  yield* books.queues.keepIf(tasks.length > 0, { ...queue, tasks })
  return 1
}

/** The page of a slot in the missed queue, whose pages stand in the order of their slots, however many there are. */
const pageOf = function* (books: Books, at: UnixTime): FlowBody<MissedPage | undefined> {
  const { missedFirst, missedNext } = yield* books.sweeper()
  let [first, end] = [missedFirst, missedNext]
  while (first < end) {
    const middle = Math.floor((first + end) / 2)
    const page = yield* books.missed.get(String(middle))
    if (page === undefined || page.at === at) return page
    if (page.at < at) first = middle + 1
    else end = middle
  }
  return undefined
}

/** An emptied page stays, as an empty one: the pages are numbered without gaps. */
const leaveMissedQueue = function* (books: Books, task: Task, most: number): FlowBody<number> {
  let found = 0
  for (const time of timesOf(task.schedule)) {
    if (found >= most) break
    const missed = yield* pageOf(books, time)
    if (missed?.tasks.includes(task.id) !== true) continue
    yield* books.missed.put({ ...missed, tasks: without(missed.tasks, task) })
    found += 1
  }
  return found
}

/** Takes a task out of the task map, all slots and both queues. Says in how many of the latter it was. */
export const remove = function* (books: Books, task: Task): FlowBody<number> {
  yield* books.tasks.take(task.id)
  const booked = (yield* leaveSlots(books, task)) + (yield* leaveTaskQueue(books, task))
  // What is accounted for neither in a slot nor in the task queue must have been missed.
  return booked + (yield* leaveMissedQueue(books, task, knownExecutions(task.schedule) - booked))
}

const account = function* (books: Books, id: AccountId): FlowBody<Account> {
  return (yield* books.accounts.get(id)) ?? { operator: books.io.me, id, free: 0 }
}

/** Gives an account money. From nowhere it is root's privilege, which the contract checks. */
export const credit = function* (books: Books, id: AccountId, amount: number): FlowBody<void> {
  const before = yield* account(books, id)
  yield* books.accounts.put({ ...before, free: before.free + amount })
}

export const canPay = function* (books: Books, id: AccountId, amount: number): FlowBody<boolean> {
  return (yield* account(books, id)).free >= amount
}

/** Moves money; a fee goes to the treasury. */
export const transfer = function* (
  books: Books,
  from: AccountId,
  amount: number,
  to: AccountId = treasury,
): FlowBody<Refusal | undefined> {
  if (!(yield* canPay(books, from, amount))) return 'InsufficientBalance'
  if (amount === 0) return undefined
  yield* credit(books, from, -amount)
  yield* credit(books, to, amount)
  return undefined
}
