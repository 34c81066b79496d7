/**
 * Brings the queues up to date when a new slot has begun: the present slot's tasks become the task queue, and
 * slots that were passed over are missed, oldest first, as far as the budget reaches. Then works them off within
 * what is left of it: first the task queue, and then the missed queue, whose tasks are reported and never
 * executed.
 */
import type { FlowBody } from 'carillon'
import type { Books } from '../Books.js'
import { remove } from '../booking.js'
import { knownExecutions, type Task } from '../model/Task.js'
import { slotOf, type MissedPage, type TaskQueue, type UnixTime } from '../model/slots.js'
import { theTaskQueue } from '../states.js'
import { mayLook, mayWork, payLook, payWork, type Portion } from './Portion.js'
import { runTask, settleExecution, tellEnd, type Ended } from './execution.js'

const miss = function* (books: Books, at: UnixTime, tasks: readonly string[]): FlowBody<void> {
  if (tasks.length === 0) return
  const { missedNext: page } = yield* books.sweeper()
  yield* books.missedQueue.put(books.io, String(page), { operator: books.io.me, page, at, tasks })
  yield* books.setSweeper({ missedNext: page + 1 })
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
  yield* books.setSweeper({ lastTimeSlot: slot })
}

/** The next slot after the last one swept and before the present one. */
const missPassedSlot = function* (books: Books): FlowBody<void> {
  const lastMissedSlot = (yield* books.sweeper()).lastMissedSlot + (yield* books.settings()).slotSeconds
  yield* books.setSweeper({ lastMissedSlot })
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
  yield* books.setSweeper({ missedFirst: page.page + 1 })
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
