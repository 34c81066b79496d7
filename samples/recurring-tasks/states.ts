/**
 * What the ledger holds for the registry. The four structures of the seed are the task map, the trigger map, the task
 * queue and the missed queue; every entry is a state, known by its key, and a slot knows when it is due.
 */
import { fromNullable, map, some } from 'fp-ts/lib/Option.js'
import { pipe } from 'fp-ts/lib/function.js'
import { activity, defineState, type FlowRef, type Instant, type Party } from 'carillon'
import { contract } from './contract.js'
import { AccountC, CallC, RegistryC, SweeperC, withFields } from './model/Registry.js'
import { instantOf, MissedPageC, TaskQueueC, TimeSlotC } from './model/slots.js'
import { TaskC, withListOfTimes, withWeight } from './model/Task.js'

const participants = ({ operator }: { readonly operator: Party }): readonly Party[] => [operator]

const governed = { contract, participants }

/** The sweep, by name: states may not import the flows that use them. */
export const sweepRef: FlowRef = { name: 'recurring-tasks/Sweep', input: {} }
export const makeCallName = 'recurring-tasks/MakeCall'

export const theRegistry = 'registry'
export const Registry = defineState({
  type: 'recurring-tasks/Registry',
  data: RegistryC,
  ...governed,
  key: () => theRegistry,
})

export const theSweeper = 'sweeper'
/** Sweeps again every few seconds while a queue is not empty. */
export const Sweeper = defineState({
  type: 'recurring-tasks/Sweeper',
  version: 2,
  upcasters: { 1: withFields({ failure: null }) },
  data: SweeperC,
  ...governed,
  key: () => theSweeper,
  nextScheduledActivity: ({ nextSweepAt }) =>
    pipe(
      fromNullable<Instant | null>(nextSweepAt),
      map((at) => activity(at, sweepRef)),
    ),
})

/** The task map: task id to task. */
export const Task = defineState({
  type: 'recurring-tasks/Task',
  version: 3,
  upcasters: { 1: withListOfTimes, 2: withWeight },
  data: TaskC,
  ...governed,
  key: ({ id }) => id,
})

/** The trigger map: slot to task ids. A slot is swept when its time comes. */
export const TimeSlot = defineState({
  type: 'recurring-tasks/TimeSlot',
  data: TimeSlotC,
  ...governed,
  key: ({ at }) => String(at),
  nextScheduledActivity: ({ at }) => some(activity(instantOf(at), sweepRef)),
})

export const theTaskQueue = 'task-queue'
export const TaskQueue = defineState({
  type: 'recurring-tasks/TaskQueue',
  data: TaskQueueC,
  ...governed,
  key: () => theTaskQueue,
})

/** The missed queue, page by page. */
export const MissedPage = defineState({
  type: 'recurring-tasks/MissedPage',
  data: MissedPageC,
  ...governed,
  key: ({ page }) => String(page),
})

export const Account = defineState({
  type: 'recurring-tasks/Account',
  data: AccountC,
  ...governed,
  key: ({ id }) => id,
})

/** A call is made by a flow of its own, so that a slow one holds up nobody. */
export const Call = defineState({
  type: 'recurring-tasks/Call',
  version: 2,
  upcasters: { 1: withFields({ incarnation: '' }) },
  data: CallC,
  ...governed,
  key: ({ task, at }) => `${task} ${at}`,
  nextScheduledActivity: ({ startAt }, ref) =>
    some(
      activity(startAt, { name: makeCallName, input: { call: { transaction: ref.transaction, index: ref.index } } }),
    ),
})

export const states = [Registry, Sweeper, Task, TimeSlot, TaskQueue, MissedPage, Account, Call]
