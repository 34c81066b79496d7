/**
 * What the ledger holds for the registry. The four structures of the seed are the task map, the trigger map, the task
 * queue and the missed queue; every entry is a state, known by its key, and a slot knows when it is due.
 */
import { activity, defineState, none, some, type FlowRef, type Party } from 'carillon'
import { contract, kinds } from './contract.js'
import { withFields } from './model/Registry.js'
import { instantOf } from './model/slots.js'
import { withListOfTimes, withWeight } from './model/Task.js'

const participants = ({ operator }: { readonly operator: Party }): readonly Party[] => [operator]
const governed = { contract, participants }

/** The sweep, by name: states may not import the flows that use them. */
export const sweepRef: FlowRef = { name: 'recurring-tasks/Sweep', input: {} }
export const makeCallName = 'recurring-tasks/MakeCall'

export const theRegistry = 'registry'
export const Registry = defineState({ ...kinds.registry, ...governed, key: () => theRegistry })

export const theSweeper = 'sweeper'
/** Sweeps again every few seconds while a queue is not empty. */
export const Sweeper = defineState({
  ...kinds.sweeper,
  ...governed,
  version: 2,
  upcasters: { 1: withFields({ failure: null }) },
  key: () => theSweeper,
  nextScheduledActivity: ({ nextSweepAt }) => (nextSweepAt === null ? none : some(activity(nextSweepAt, sweepRef))),
})

/** The task map: task id to task. */
export const Task = defineState({
  ...kinds.task,
  ...governed,
  version: 3,
  upcasters: { 1: withListOfTimes, 2: withWeight },
  key: ({ id }) => id,
})

/** The trigger map: slot to task ids. A slot is swept when its time comes. */
export const TimeSlot = defineState({
  ...kinds.slot,
  ...governed,
  key: ({ at }) => String(at),
  nextScheduledActivity: ({ at }) => some(activity(instantOf(at), sweepRef)),
})

export const theTaskQueue = 'task-queue'
export const TaskQueue = defineState({ ...kinds.queue, ...governed, key: () => theTaskQueue })

/** The missed queue, page by page. */
export const MissedPage = defineState({ ...kinds.missed, ...governed, key: ({ page }) => String(page) })

export const Account = defineState({ ...kinds.account, ...governed, key: ({ id }) => id })

/** A call is made by a flow of its own, so that a slow one holds up nobody. */
export const Call = defineState({
  ...kinds.call,
  ...governed,
  version: 2,
  upcasters: { 1: withFields({ incarnation: '' }) },
  key: ({ task, at }) => `${task} ${at}`,
  nextScheduledActivity: ({ startAt }, { transaction, index }) =>
    some(activity(startAt, { name: makeCallName, input: { call: { transaction, index } } })),
})

export const states = [Registry, Sweeper, Task, TimeSlot, TaskQueue, MissedPage, Account, Call]
