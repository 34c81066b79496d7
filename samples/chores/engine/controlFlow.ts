/**
 * Applies a control to a chore in one transaction: the scheduler as decided, a run that begins beside it, or a run
 * that ends with everything it has under way. The control and who asked for it are recorded, also when it changes
 * nothing.
 */
import * as t from 'io-ts'
import { defineFlow, StateRefC, type FlowBody, type FlowIo, type StateAndRef } from 'carillon'
import { isRandom } from './book.js'
import { Conductor, type ConductorData } from './ConductorState.js'
import { ControlC } from './Control.js'
import { decideControl } from './decideControl.js'
import { flowNames } from './flowNames.js'
import { happening, HappeningCommand } from './Happening.js'
import { latest, latestBeside } from './latest.js'
import { beginRun, lastTaskOf, stopRun } from './runs.js'
import { Scheduler, type SchedulerData } from './SchedulerState.js'
import { taskOf } from './taskOf.js'
import type { TaskData } from './TaskState.js'

/** Where the states of a chore were last seen. */
export const WhereaboutsC = t.readonly(
  t.strict({ scheduler: StateRefC, conductor: t.union([StateRefC, t.null]) }),
  'Whereabouts',
)

export type ControlOutcome = 'done' | 'nothing' | 'gone'

type Whereabouts = t.TypeOf<typeof WhereaboutsC>

type UnderWay = {
  readonly conductor: StateAndRef<ConductorData>
  readonly task: StateAndRef<TaskData> | undefined
}

const runUnderWay = function* (io: FlowIo, where: Whereabouts): FlowBody<UnderWay> {
  const known = where.conductor === null ? undefined : yield* latest(io, Conductor, where.conductor)
  // A run that has begun since the whereabouts were taken was born beside a later state of the scheduler.
  const born = { line: Scheduler, beside: Conductor }
  const conductor = known ?? (yield* latestBeside(io, born, where.scheduler))
  if (conductor === undefined) throw new Error('The chore has a run under way that is not to be found.')
  return { conductor, task: yield* taskOf(io, conductor) }
}

export const ControlChore = defineFlow({
  name: flowNames.control,
  input: t.readonly(t.strict({ where: WhereaboutsC, control: ControlC, by: t.string })),
  run: (io, { where, control, by }): FlowBody<ControlOutcome> =>
    io.transact(function* (tx): FlowBody<ControlOutcome> {
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
          tx.consume(current)
            .command(HappeningCommand, [owner], asked(current.data))
            .command(HappeningCommand, [owner], happening(current.data, 'deleted', { by }))
          return 'done'
        case 'changed': {
          if (!verdict.stopsRun) {
            const begun = verdict.startsRun ? beginRun(verdict.scheduler, now) : undefined
            const scheduler: SchedulerData = begun?.scheduler ?? verdict.scheduler
            tx.consume(current).produce(Scheduler, scheduler).command(HappeningCommand, [owner], asked(scheduler))
            if (begun !== undefined)
              tx.produce(Conductor, begun.conductor).command(
                HappeningCommand,
                [owner],
                happening(scheduler, 'run-started', { by }),
              )
            return 'done'
          }
          const { conductor, task } = yield* runUnderWay(io, where)
          const lastTask = lastTaskOf(conductor.data, task?.data)
          tx.consume(current, conductor, ...(task === undefined ? [] : [task]))
            .produce(Scheduler, stopRun(verdict.scheduler, lastTask))
            .command(HappeningCommand, [owner], asked(current.data))
            .command(HappeningCommand, [owner], happening(current.data, 'run-stopped', { by }))
          return 'done'
        }
      }
    }),
})
