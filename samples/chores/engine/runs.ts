/**
 * How a run begins and ends: pure changes to the states of a chore, and the transaction in which it is counted.
 */
import { sameRef, type FlowBody, type FlowIo, type Instant, type StateAndRef } from 'carillon'
import { happening, HappeningCommand } from './Happening.js'
import { Conductor, Scheduler, Task, type ConductorData, type SchedulerData } from './states.js'

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

export const endRun = (
  io: FlowIo,
  { ref, data: { choreId, owner } }: StateAndRef<ConductorData>,
  action: { readonly kind: 'Done' } | { readonly kind: 'Error'; readonly text: string },
): FlowBody<void> =>
  io.transact(function* (tx): FlowBody<void> {
    const conductor = yield* io.find(Conductor, choreId)
    const scheduler = yield* io.find(Scheduler, choreId)
    // Stopped meanwhile: then there is nothing to count.
    if (conductor === undefined || scheduler === undefined || !sameRef(conductor.ref, ref)) return
    const task = yield* io.find(Task, choreId)
    const now = yield* io.now()
    const { data } = scheduler
    tx.consume(conductor, ...(task === undefined ? [] : [task]))
      .replace(scheduler, action.kind === 'Done' ? completeRun(data, now) : failRun(data, now, action.text))
      .command(
        HappeningCommand,
        [owner],
        action.kind === 'Done' ? happening(data, 'run-completed') : happening(data, 'run-failed', { why: action.text }),
      )
  })
