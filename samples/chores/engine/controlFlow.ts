/**
 * Applies a control to a chore in one transaction: the scheduler as decided, a run that begins beside it, or a run
 * that ends with everything it has under way. The control and who asked for it are recorded, also when it changes
 * nothing.
 */
import * as t from 'io-ts'
import { defineFlow, StateRefC, type FlowBody, type FlowIo, type StateAndRef, type StateRef } from 'carillon'
import { isRandom } from './book.js'
import { Conductor, type ConductorData } from './ConductorState.js'
import { ControlC } from './Control.js'
import { decideControl } from './decideControl.js'
import { flowNames } from './flowNames.js'
import { happening, HappeningCommand } from './Happening.js'
import { latest } from './latest.js'
import { retryWhenMoved } from './retryWhenMoved.js'
import { beginRun, lastTaskOf, stopRun } from './runs.js'
import { Scheduler, type SchedulerData } from './SchedulerState.js'
import { taskOf } from './taskOf.js'
import type { TaskData } from './TaskState.js'

/** Where the states of a chore were last seen. */
export const WhereaboutsC = t.readonly(
  t.strict({ scheduler: StateRefC, conductor: t.union([StateRefC, t.null]) }),
  'Whereabouts',
)

/** `again`: a run has begun since the whereabouts were taken; ask again with fresh ones. */
export type ControlOutcome = 'done' | 'nothing' | 'again' | 'gone'

type UnderWay = {
  readonly conductor: StateAndRef<ConductorData>
  readonly task: StateAndRef<TaskData> | undefined
}

const runUnderWay = function* (io: FlowIo, ref: StateRef | null): FlowBody<UnderWay | undefined> {
  const conductor = ref === null ? undefined : yield* latest(io, Conductor, ref)
  if (conductor === undefined) return undefined
  return { conductor, task: yield* taskOf(io, conductor) }
}

export const ControlChore = defineFlow({
  name: flowNames.control,
  input: t.readonly(t.strict({ where: WhereaboutsC, control: ControlC, by: t.string })),
  run: (io, { where, control, by }): FlowBody<ControlOutcome> =>
    retryWhenMoved(io, function* (): FlowBody<ControlOutcome> {
      const current = yield* latest(io, Scheduler, where.scheduler)
      if (current === undefined) return 'gone'
      const now = yield* io.now()
      const seed = isRandom(current.data.config) ? yield* io.newId() : null
      const verdict = decideControl(current.data, control, now, seed)
      // A control belongs to the run it begins, or else to the one that was begun last.
      const asked = (of: SchedulerData) => happening(of, 'control', { by, text: control.verb })
      const { owner } = current.data
      switch (verdict.kind) {
        case 'nothing':
          return 'nothing'
        case 'refused':
          throw new Error(verdict.why)
        case 'deleted':
          yield* io.finalise((tx) =>
            tx
              .consume(current)
              .command(HappeningCommand, [owner], asked(current.data))
              .command(HappeningCommand, [owner], happening(current.data, 'deleted', { by })),
          )
          return 'done'
        case 'changed': {
          if (!verdict.stopsRun) {
            const begun = verdict.startsRun ? beginRun(verdict.scheduler, now) : undefined
            const scheduler: SchedulerData = begun?.scheduler ?? verdict.scheduler
            yield* io.finalise((tx) => {
              tx.consume(current).produce(Scheduler, scheduler).command(HappeningCommand, [owner], asked(scheduler))
              return begun === undefined
                ? tx
                : tx
                    .produce(Conductor, begun.conductor)
                    .command(HappeningCommand, [owner], happening(scheduler, 'run-started', { by }))
            })
            return 'done'
          }
          const underWay = yield* runUnderWay(io, where.conductor)
          if (underWay === undefined) return 'again'
          const { conductor, task } = underWay
          const lastTask = lastTaskOf(conductor.data, task?.data)
          yield* io.finalise((tx) =>
            tx
              .consume(current, conductor, ...(task === undefined ? [] : [task]))
              .produce(Scheduler, stopRun(verdict.scheduler, lastTask))
              .command(HappeningCommand, [owner], asked(current.data))
              .command(HappeningCommand, [owner], happening(current.data, 'run-stopped', { by })),
          )
          return 'done'
        }
      }
    }),
})
