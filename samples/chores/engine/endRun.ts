/**
 * A conductor has said that its run is over: the run is counted, and a task that still runs is dropped with it.
 */
import { sameRef, type FlowBody, type FlowIo, type StateAndRef } from 'carillon'
import { Conductor, type ConductorData } from './ConductorState.js'
import { happening, HappeningCommand } from './Happening.js'
import { completeRun, failRun } from './runs.js'
import { Scheduler } from './SchedulerState.js'
import { Task } from './TaskState.js'

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
