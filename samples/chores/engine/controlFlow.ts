/**
 * Applies a control to a chore in one transaction: the scheduler as decided, a run that begins beside it, or a run
 * that ends with everything it has under way. The control and who asked for it are recorded, also when it is the run
 * alone that changes.
 */
import * as t from 'io-ts'
import { defineFlow, refuseWith, type FlowBody, type Refusal } from 'carillon'
import { isRandom } from './book.js'
import { Conductor } from './ConductorState.js'
import { ControlC } from './Control.js'
import { decideControl } from './decideControl.js'
import { flowNames } from './flowNames.js'
import { happening, HappeningCommand } from './Happening.js'
import { beginRun, stopRun } from './runs.js'
import { Scheduler, type SchedulerData } from './SchedulerState.js'
import { Task } from './TaskState.js'

/** What became of a control, as far as a run is concerned. */
export type ControlOutcome = 'nothing' | 'changed' | 'run begun' | 'run ended' | 'deleted'

export const ControlChore = defineFlow({
  name: flowNames.control,
  input: t.readonly(t.strict({ choreId: t.string, control: ControlC, by: t.string })),
  refusals: t.string,
  run: (io, { choreId, control, by }): FlowBody<ControlOutcome | Refusal<string>> =>
    io.transact(function* (tx): FlowBody<ControlOutcome | Refusal<string>> {
      const current = yield* io.find(Scheduler, choreId)
      if (current === undefined) return refuseWith(`There is no chore ${choreId}.`)
      const { owner } = current.data
      const now = yield* io.now()
      const seed = isRandom(current.data.config) ? yield* io.newId() : null
      const verdict = decideControl(current.data, control, now, seed)
      // A control belongs to the run it begins, or else to the one that was begun last.
      const says = (of: SchedulerData, kind: 'control' | 'run-started' | 'run-stopped' | 'deleted'): void => {
        tx.command(
          HappeningCommand,
          [owner],
          happening(of, kind, { by, ...(kind === 'control' ? { text: control.verb } : {}) }),
        )
      }
      switch (verdict.kind) {
        case 'nothing':
          return 'nothing'
        case 'refused':
          return refuseWith(verdict.why)
        case 'deleted':
          tx.consume(current)
          says(current.data, 'control')
          says(current.data, 'deleted')
          return 'deleted'
        case 'changed': {
          if (verdict.startsRun) {
            const { scheduler, conductor } = beginRun(verdict.scheduler, now)
            tx.replace(current, scheduler).produce(Conductor, conductor)
            says(scheduler, 'control')
            says(scheduler, 'run-started')
            return 'run begun'
          }
          if (!verdict.stopsRun) {
            tx.replace(current, verdict.scheduler)
            says(verdict.scheduler, 'control')
            return 'changed'
          }
          const underWay = [yield* io.find(Conductor, choreId), yield* io.find(Task, choreId)]
          for (const state of underWay) if (state !== undefined) tx.consume(state)
          tx.replace(current, stopRun(verdict.scheduler))
          says(current.data, 'control')
          says(current.data, 'run-stopped')
          return 'run ended'
        }
      }
    }),
})
