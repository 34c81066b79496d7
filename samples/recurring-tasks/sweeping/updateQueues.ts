/**
 * Brings the queues up to date when a new slot has begun: what is left of the task queue was missed, the present
 * slot's tasks become the task queue, and slots that were passed over are missed, oldest first, as far as the budget
 * reaches.
 */
import type { FlowBody } from 'carillon'
import type { Books } from '../Books.js'
import type { TaskQueue } from '../model/queues.js'
import { slotOf, type UnixTime } from '../model/timeSlots.js'
import { theSweeper, theTaskQueue } from '../states.js'
import type { Portion } from './Portion.js'
import { mayLook, payLook } from './Purse.js'

const miss = function* (books: Books, at: UnixTime, tasks: readonly string[]): FlowBody<void> {
  if (tasks.length === 0) return
  const sweeper = yield* books.sweeper()
  const page = sweeper.missedNext
  yield* books.missedQueue.put(books.io, String(page), { operator: books.io.me, page, at, tasks })
  yield* books.sweeperMap.put(books.io, theSweeper, { ...sweeper, missedNext: page + 1 })
}

/** While older slots wait to be looked into, what is left of the queue waits behind them, in its slot. */
const missLeftover = function* (books: Books, { at, tasks }: TaskQueue): FlowBody<void> {
  yield* books.taskQueue.take(books.io, theTaskQueue)
  const { slotSeconds } = yield* books.settings()
  if ((yield* books.sweeper()).lastMissedSlot + slotSeconds >= at) yield* miss(books, at, tasks)
  else yield* books.triggerMap.put(books.io, String(at), { operator: books.io.me, at, tasks, weight: 0 })
}

const loadPresentSlot = function* (books: Books, slot: UnixTime): FlowBody<void> {
  const present = yield* books.triggerMap.take(books.io, String(slot))
  if (present !== undefined)
    yield* books.taskQueue.put(books.io, theTaskQueue, { operator: books.io.me, at: slot, tasks: present.tasks })
  yield* books.sweeperMap.put(books.io, theSweeper, { ...(yield* books.sweeper()), lastTimeSlot: slot })
}

/** The next slot after the last one swept and before the present one. */
const missPassedSlot = function* (books: Books): FlowBody<void> {
  const sweeper = yield* books.sweeper()
  const lastMissedSlot = sweeper.lastMissedSlot + (yield* books.settings()).slotSeconds
  yield* books.sweeperMap.put(books.io, theSweeper, { ...sweeper, lastMissedSlot })
  const passed = yield* books.triggerMap.take(books.io, String(lastMissedSlot))
  if (passed !== undefined) yield* miss(books, lastMissedSlot, passed.tasks)
}

export const updateQueues = function* (portion: Portion): FlowBody<void> {
  const { books, purse } = portion
  const settings = yield* books.settings()
  const slot = slotOf(books.now, settings)
  if (slot > (yield* books.sweeper()).lastTimeSlot) {
    const leftover = yield* books.taskQueue.get(books.io, theTaskQueue)
    if (leftover !== undefined && !(yield* portion.fit(missLeftover(books, leftover)))) return
    if (!(yield* portion.fit(loadPresentSlot(books, slot)))) return
  }
  while ((yield* books.sweeper()).lastMissedSlot + settings.slotSeconds < slot && mayLook(purse, settings.slotWeight)) {
    if (!(yield* portion.fit(missPassedSlot(books)))) return
    payLook(purse, settings.slotWeight)
  }
}
