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
import type { Portion } from './Portion.js'
import { runTask, settleExecution, tellEnd, type Ended } from './execution.js'

const miss = function* (books: Books, at: UnixTime, tasks: readonly string[]): FlowBody<void> {
  if (tasks.length === 0) return
  const { missedNext: page } = yield* books.sweeper()
  yield* books.missed.put({ operator: books.io.me, page, at, tasks })
  yield* books.setSweeper({ missedNext: page + 1 })
}

/** While older slots wait to be looked into, what is left of the queue waits behind them, in its slot. */
const missLeftover = function* (books: Books, { at, tasks }: TaskQueue): FlowBody<void> {
  yield* books.queues.take(theTaskQueue)
  const { slotSeconds } = yield* books.settings()
  if ((yield* books.sweeper()).lastMissedSlot + slotSeconds >= at) yield* miss(books, at, tasks)
  else yield* books.slots.put({ operator: books.io.me, at, tasks, weight: 0 })
}

const loadPresentSlot = function* (books: Books, slot: UnixTime): FlowBody<void> {
  const present = yield* books.slots.take(String(slot))
  if (present !== undefined) yield* books.queues.put({ operator: books.io.me, at: slot, tasks: present.tasks })
  yield* books.setSweeper({ lastTimeSlot: slot })
}

/** The next slot after the last one swept and before the present one. */
const missPassedSlot = function* (books: Books): FlowBody<void> {
  const lastMissedSlot = (yield* books.sweeper()).lastMissedSlot + (yield* books.settings()).slotSeconds
  yield* books.setSweeper({ lastMissedSlot })
  const passed = yield* books.slots.take(String(lastMissedSlot))
  if (passed !== undefined) yield* miss(books, lastMissedSlot, passed.tasks)
}

export const updateQueues = function* (portion: Portion): FlowBody<void> {
  const { books } = portion
  const settings = yield* books.settings()
  const slot = slotOf(books.now, settings)
  if (slot > (yield* books.sweeper()).lastTimeSlot) {
    const leftover = yield* books.queues.get(theTaskQueue)
    if (leftover !== undefined && !(yield* portion.fit(missLeftover(books, leftover)))) return
    if (!(yield* portion.fit(loadPresentSlot(books, slot)))) return
  }
  while ((yield* books.sweeper()).lastMissedSlot + settings.slotSeconds < slot)
    if (!(yield* portion.look(settings.slotWeight, missPassedSlot(books)))) return
}

/** Tells how an execution ended and accounts for it; what cannot be accounted for takes its task with it. */
const end = function* ({ books, remedy }: Portion, task: Task, at: UnixTime, ended: Ended): FlowBody<void> {
  tellEnd(books, task, at, ended)
  if (remedy?.kind !== 'drop') return yield* settleExecution(books, task, ended)
  yield* remove(books, task)
  const unused = Math.max(0, knownExecutions(task.schedule) - 1)
  books.tell({ event: 'TaskCancelled', unused, error: remedy.error }, task)
}

/** Without the first of some tasks; what is put off stands behind the others. */
const afterFirst = ([id, ...others]: readonly string[], { remedy }: Portion): readonly string[] =>
  remedy?.kind === 'defer' && id !== undefined ? [...others, id] : others

const runFirst = function* (portion: Portion, queue: TaskQueue, id: string, task: Task | undefined): FlowBody<void> {
  const { books, remedy } = portion
  const tasks = afterFirst(queue.tasks, portion)
  yield* books.queues.keepIf(tasks.length > 0, { ...queue, tasks })
  if (remedy?.kind === 'defer') return
  if (task === undefined) books.tell({ event: 'TaskNotFound', id })
  else if (remedy === undefined) yield* runTask(books, task, queue.at)
  else yield* end(portion, task, queue.at, { kind: 'failed', error: remedy.error })
}

/** "From here we just keep grabbing the first task from the task queue and executing it until we run out of weight." */
export const runTaskQueue = function* (portion: Portion): FlowBody<void> {
  const { books } = portion
  const { missedWeight } = yield* books.settings()
  for (;;) {
    const queue = yield* books.queues.get(theTaskQueue)
    const [id] = queue?.tasks ?? []
    if (queue === undefined || id === undefined) return
    const task = yield* books.tasks.get(id)
    if (!(yield* portion.run(task?.weight ?? missedWeight, runFirst(portion, queue, id, task)))) return
  }
}

const reportFirst = function* (portion: Portion, page: MissedPage): FlowBody<void> {
  const { books, remedy } = portion
  const [id] = page.tasks
  const tasks = afterFirst(page.tasks, portion)
  yield* books.missed.keepIf(tasks.length > 0, { ...page, tasks })
  if (tasks.length === 0) yield* books.setSweeper({ missedFirst: page.page + 1 })
  if (remedy?.kind === 'defer' || id === undefined) return
  const task = yield* books.tasks.get(id)
  if (task === undefined) books.tell({ event: 'TaskNotFound', id })
  else yield* end(portion, task, page.at, { kind: 'missed' })
}

export const reportMissed = function* (portion: Portion): FlowBody<void> {
  const { books } = portion
  const { missedWeight } = yield* books.settings()
  for (;;) {
    const { missedFirst, missedNext } = yield* books.sweeper()
    if (missedFirst === missedNext) return
    const page = yield* books.missed.must(String(missedFirst), `The missed queue has no page ${missedFirst}.`)
    if (!(yield* portion.run(missedWeight, reportFirst(portion, page)))) return
  }
}
