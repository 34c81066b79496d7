/**
 * One sweep, which the seeds call a block: bring the queues up to date, run the task queue within the budget, report
 * what was missed with what is left. It is rung by a slot whose time has come, and by the sweeper while a queue is not
 * empty.
 */
import { right, type Either } from 'fp-ts/lib/Either.js'
import { defineFlow, NoInputC, plus, type FlowBody } from 'carillon'
import { inBooks, type Books } from '../Books.js'
import { commands } from '../contract.js'
import type { Refusal } from '../model/Refusal.js'
import { taskBudget } from '../model/Settings.js'
import { instantOf, slotOf, unixTime } from '../model/timeSlots.js'
import { sweepRef, theSweeper, theTaskQueue } from '../states.js'
import { updateQueues } from '../sweeping/updateQueues.js'
import { reportMissed, runTaskQueue, type Purse } from '../sweeping/workQueues.js'

/** Sweeps keep their distance, or the slots that ring together after an outage would each spend a whole budget. */
const mayBegin = function* (books: Books): FlowBody<boolean> {
  const { stopped, settings } = yield* books.registry()
  if (stopped) return false
  const { lastTimeSlot, sweptAt, nextSweepAt } = yield* books.sweeper()
  if (slotOf(books.now, settings) > lastTimeSlot) return true
  const isCalled = nextSweepAt !== null && unixTime(nextSweepAt) <= books.now
  return isCalled || unixTime(sweptAt) + settings.sweepSeconds <= books.now
}

const isEverythingDone = function* (books: Books): FlowBody<boolean> {
  const { slotSeconds } = yield* books.settings()
  const { missedFirst, missedNext, lastMissedSlot, lastTimeSlot } = yield* books.sweeper()
  const queue = yield* books.taskQueue.get(books.io, theTaskQueue)
  return queue === undefined && missedFirst === missedNext && lastMissedSlot + slotSeconds >= lastTimeSlot
}

const work = function* (books: Books): FlowBody<Either<Refusal, { readonly swept: boolean }>> {
  if (!(yield* mayBegin(books))) return right({ swept: false })
  const settings = yield* books.settings()
  const purse: Purse = { weight: taskBudget(settings), places: settings.tasksPerSweep }
  purse.weight -= yield* updateQueues(books)
  yield* runTaskQueue(books, purse)
  yield* reportMissed(books, purse)
  const sweptAt = instantOf(books.now)
  const nextSweepAt = (yield* isEverythingDone(books)) ? null : plus(sweptAt, { seconds: settings.sweepSeconds })
  yield* books.sweeperMap.put(books.io, theSweeper, { ...(yield* books.sweeper()), sweptAt, nextSweepAt })
  return right({ swept: true })
}

export const Sweep = defineFlow({
  name: sweepRef.name,
  schedulable: true,
  input: NoInputC,
  *run(io): FlowBody<boolean> {
    const swept = yield* inBooks(io, commands.sweep, work)
    return swept.ok && swept.swept
  },
})
