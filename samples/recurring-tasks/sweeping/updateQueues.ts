/**
 * Brings the queues up to date when a new slot has begun: what is left of the task queue was missed, the present
 * slot's tasks become the task queue, and slots that were passed over are missed, oldest first, as far as the budget
 * reaches.
 */
import type { FlowBody } from 'carillon'
import type { Books } from '../Books.js'
import { updateBudget } from '../model/Settings.js'
import { slotOf, type UnixTime } from '../model/timeSlots.js'
import { theSweeper, theTaskQueue } from '../states.js'

const miss = function* (books: Books, at: UnixTime, tasks: readonly string[]): FlowBody<void> {
  if (tasks.length === 0) return
  const sweeper = yield* books.sweeper()
  const page = sweeper.missedNext
  yield* books.missedQueue.put(books.io, String(page), { operator: books.io.me, page, at, tasks })
  yield* books.sweeperMap.put(books.io, theSweeper, { ...sweeper, missedNext: page + 1 })
}

const loadPresentSlot = function* (books: Books, slot: UnixTime): FlowBody<void> {
  const leftover = yield* books.taskQueue.take(books.io, theTaskQueue)
  if (leftover !== undefined) yield* miss(books, leftover.at, leftover.tasks)
  const present = yield* books.triggerMap.take(books.io, String(slot))
  if (present !== undefined)
    yield* books.taskQueue.put(books.io, theTaskQueue, { operator: books.io.me, at: slot, tasks: present.tasks })
  yield* books.sweeperMap.put(books.io, theSweeper, { ...(yield* books.sweeper()), lastTimeSlot: slot })
}

/**
 * Slots looked into in one sweep, whatever they weigh, so that a sweep stays one turn of its flow. All slots of an
 * outage ring at once: as long as the first of them sweeps without a pause, the others see that it has been done.
 */
const slotsPerSweep = 50

/** Slots after the last one swept and before the present one; gives the weight it took. */
const missPassedSlots = function* (books: Books, slot: UnixTime): FlowBody<number> {
  const settings = yield* books.settings()
  const budget = updateBudget(settings)
  let { lastMissedSlot } = yield* books.sweeper()
  let used = 0
  for (let looked = 0; looked < slotsPerSweep && used + settings.slotWeight <= budget; looked++) {
    if (lastMissedSlot + settings.slotSeconds >= slot) break
    lastMissedSlot += settings.slotSeconds
    used += settings.slotWeight
    const passed = yield* books.triggerMap.take(books.io, String(lastMissedSlot))
    if (passed !== undefined) yield* miss(books, lastMissedSlot, passed.tasks)
  }
  yield* books.sweeperMap.put(books.io, theSweeper, { ...(yield* books.sweeper()), lastMissedSlot })
  return used
}

/** Gives the weight it took. */
export const updateQueues = function* (books: Books): FlowBody<number> {
  const slot = slotOf(books.now, yield* books.settings())
  if (slot > (yield* books.sweeper()).lastTimeSlot) yield* loadPresentSlot(books, slot)
  return yield* missPassedSlots(books, slot)
}
