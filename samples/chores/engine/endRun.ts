/**
 * A conductor has said that its run is over: the run is counted, and a task that still runs is dropped with it.
 */
import type { FlowBody, FlowIo, StateAndRef, StateRef } from 'carillon'
import { Conductor, type ConductorData } from './ConductorState.js'
import { happening, HappeningCommand } from './Happening.js'
import { isUnconsumed, latest } from './latest.js'
import { completeRun, failRun, lastTaskOf } from './runs.js'
import { Scheduler } from './SchedulerState.js'
import { taskOf } from './taskOf.js'

export const endRun = (
  io: FlowIo,
  conductor: StateAndRef<ConductorData>,
  schedulerRef: StateRef,
  action: { readonly kind: 'Done' } | { readonly kind: 'Error'; readonly text: string },
): FlowBody<void> =>
  io.transact(function* (tx): FlowBody<void> {
    // Stopped meanwhile: then there is nothing to count.
    if (!(yield* isUnconsumed(io, Conductor, conductor.ref))) return
    const scheduler = yield* latest(io, Scheduler, schedulerRef)
    if (scheduler === undefined) return
    const task = yield* taskOf(io, conductor)
    const now = yield* io.now()
    const lastTask = lastTaskOf(conductor.data, task?.data)
    const { data } = scheduler
    tx.consume(scheduler, conductor, ...(task === undefined ? [] : [task]))
      .produce(
        Scheduler,
        action.kind === 'Done' ? completeRun(data, now, lastTask) : failRun(data, now, lastTask, action.text),
      )
      .command(
        HappeningCommand,
        [data.owner],
        action.kind === 'Done'
          ? happening(data, 'run-completed')
          : happening(data, 'run-failed', { text: action.text }),
      )
  })
