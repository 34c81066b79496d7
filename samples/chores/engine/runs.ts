/**
 * How a run begins and ends, as pure changes to the states of a chore.
 */
import type { Instant } from 'carillon'
import type { CompletedTask } from './ChoreDefinition.js'
import type { ConductorData } from './ConductorState.js'
import type { SchedulerData } from './SchedulerState.js'
import { hasOutcome, type TaskData } from './TaskState.js'

/** A run is one more than the last; its first tick is due at once. */
export const beginRun = (
  scheduler: SchedulerData,
  now: Instant,
): { readonly scheduler: SchedulerData; readonly conductor: ConductorData } => {
  const run = scheduler.run + 1
  return {
    scheduler: { ...scheduler, run, conductorActive: true, lastTask: null },
    conductor: {
      owner: scheduler.owner,
      choreId: scheduler.choreId,
      choreType: scheduler.choreType,
      run,
      startedAt: now,
      invocationCount: 0,
      nextTickAt: now,
      life: null,
      scheduler: null,
      task: null,
      tasksStarted: 0,
      lastCompletedTask: null,
    },
  }
}

/** The same run from its beginning, in another life of the node. */
export const restartRun = (
  conductor: ConductorData,
  now: Instant,
  life: number,
  scheduler: ConductorData['scheduler'],
): ConductorData => ({
  ...conductor,
  startedAt: now,
  invocationCount: 0,
  nextTickAt: now,
  life,
  scheduler,
  task: null,
  lastCompletedTask: null,
})

const ended = (scheduler: SchedulerData, lastTask: CompletedTask | null): SchedulerData => ({
  ...scheduler,
  conductorActive: false,
  lastTask,
})

/** A stopped run counts neither as a success nor as a failure. */
export const stopRun = ended

export const completeRun = (scheduler: SchedulerData, now: Instant, lastTask: CompletedTask | null): SchedulerData => ({
  ...ended(scheduler, lastTask),
  lastCompletedRunAt: now,
  totalRunCount: scheduler.totalRunCount + 1,
  totalSuccessCount: scheduler.totalSuccessCount + 1,
})

export const failRun = (
  scheduler: SchedulerData,
  now: Instant,
  lastTask: CompletedTask | null,
  error: string,
): SchedulerData => ({
  ...ended(scheduler, lastTask),
  totalRunCount: scheduler.totalRunCount + 1,
  totalFailureCount: scheduler.totalFailureCount + 1,
  lastError: error,
  lastErrorAt: now,
})

/** The last task of a run, as far as it is known: a task that has ended comes after what the conductor has seen. */
export const lastTaskOf = (
  conductor: Pick<ConductorData, 'lastCompletedTask'>,
  task: TaskData | undefined,
): CompletedTask | null => (hasOutcome(task) ? { taskId: task.taskId, ...task.outcome } : conductor.lastCompletedTask)
