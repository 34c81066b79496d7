/**
 * How a run begins and ends, as pure changes to the states of a chore.
 */
import type { Instant } from 'carillon'
import type { ConductorData } from './ConductorState.js'
import type { SchedulerData } from './SchedulerState.js'

/** A run is one more than the last; its first tick is due at once. */
export const beginRun = (
  scheduler: SchedulerData,
  now: Instant,
): { readonly scheduler: SchedulerData; readonly conductor: ConductorData } => {
  const { owner, choreId, choreType } = scheduler
  const run = scheduler.run + 1
  return {
    scheduler: { ...scheduler, run, conductorActive: true },
    conductor: {
      ...{ owner, choreId, choreType, run, life: null, tasksStarted: 0 },
      ...{ startedAt: now, invocationCount: 0, nextTickAt: now, lastCompletedTask: null },
    },
  }
}

/** The same run from its beginning, in another life of the node. */
export const restartRun = (conductor: ConductorData, now: Instant, life: number): ConductorData => ({
  ...conductor,
  ...{ startedAt: now, invocationCount: 0, nextTickAt: now, life, lastCompletedTask: null },
})

/** A stopped run counts neither as a success nor as a failure. */
export const stopRun = (scheduler: SchedulerData): SchedulerData => ({ ...scheduler, conductorActive: false })

export const completeRun = (scheduler: SchedulerData, now: Instant): SchedulerData => ({
  ...stopRun(scheduler),
  lastCompletedRunAt: now,
  totalRunCount: scheduler.totalRunCount + 1,
  totalSuccessCount: scheduler.totalSuccessCount + 1,
})

export const failRun = (scheduler: SchedulerData, now: Instant, error: string): SchedulerData => ({
  ...stopRun(scheduler),
  totalRunCount: scheduler.totalRunCount + 1,
  totalFailureCount: scheduler.totalFailureCount + 1,
  lastError: error,
  lastErrorAt: now,
})
