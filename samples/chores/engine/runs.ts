/**
 * How a run begins and ends: pure changes to the states of a chore, and the transaction in which it is counted.
 */
import { sameRef, type FlowBody, type FlowIo, type Instant, type StateAndRef } from 'carillon'
import { tell } from './Happening.js'
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

/** Ends a run and counts it. A run that was stopped counts neither as a success nor as a failure: there is nothing to end. */
export const endRun = (
  io: FlowIo,
  { ref, data: { choreId } }: StateAndRef<ConductorData>,
  action: { readonly kind: 'Done' } | { readonly kind: 'Error'; readonly text: string },
): FlowBody<void> =>
  io.transact(function* (tx): FlowBody<void> {
    const conductor = yield* io.find(Conductor, choreId)
    const scheduler = yield* io.find(Scheduler, choreId)
    if (conductor === undefined || scheduler === undefined || !sameRef(conductor.ref, ref)) return
    const task = yield* io.find(Task, choreId)
    const now = yield* io.now()
    const { data } = scheduler
    const after = { conductorActive: false, totalRunCount: data.totalRunCount + 1 }
    tx.consume(conductor, ...(task === undefined ? [] : [task]))
    if (action.kind === 'Done') {
      tx.replace(scheduler, { ...after, lastCompletedRunAt: now, totalSuccessCount: data.totalSuccessCount + 1 })
      tell(tx, data, 'run-completed')
    } else {
      const failure = { totalFailureCount: data.totalFailureCount + 1, lastError: action.text, lastErrorAt: now }
      tx.replace(scheduler, { ...after, ...failure })
      tell(tx, data, 'run-failed', { why: action.text })
    }
  })
