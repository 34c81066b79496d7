/**
 * Level 3 on the ledger: one task of a run. While it is active its activity is the next chunk of work; once it has
 * an outcome it waits for the conductor to see it. Its ref is its generation: a completion must consume exactly the
 * state it was started from, so a late one finds it gone and cannot be credited to another task.
 */
import { none, some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import { activity, defineState, InstantC, IntegerC, PartyC } from 'carillon'
import type { CompletedTask } from './ChoreDefinition.js'
import { choreContract, taskType } from './choreContract.js'
import { flowNames } from './flowNames.js'

export const TaskC = t.readonly(
  t.strict({
    owner: PartyC,
    choreId: t.string,
    taskId: t.string,
    run: IntegerC,
    /** Counts the tasks of the run. */
    serial: IntegerC,
    life: IntegerC,
    startedAt: InstantC,
    nextTickAt: InstantC,
    /** Chunks done by earlier flows of this task. */
    ticks: IntegerC,
    outcome: t.union([t.readonly(t.strict({ succeeded: t.boolean, error: t.union([t.string, t.null]) })), t.null]),
  }),
  'Task',
)
export type TaskData = t.TypeOf<typeof TaskC>

type Ended = TaskData & { readonly outcome: NonNullable<TaskData['outcome']> }

/** Whether a task has come to an outcome, which then waits for the conductor to see it. */
export const hasOutcome = (task: TaskData | undefined): task is Ended => task !== undefined && task.outcome !== null

/** What a conductor is told of a task that has ended. */
export const completedTaskOf = (task: TaskData | undefined): CompletedTask | null =>
  hasOutcome(task) ? { taskId: task.taskId, ...task.outcome } : null

export const Task = defineState({
  type: taskType,
  data: TaskC,
  contract: choreContract,
  participants: ({ owner }) => [owner],
  key: ({ choreId }) => choreId,
  nextScheduledActivity: ({ nextTickAt, outcome }, ref) =>
    outcome === null ? some(activity(nextTickAt, { name: flowNames.runTask, input: { task: ref } })) : none,
})
