/**
 * The flows of the scheduler, each one transaction: put chores on the ledger, fire, and apply a control.
 */
import * as t from 'io-ts'
import { defineFlow, refuseWith, StateRefC, type FlowBody, type Instant, type Party, type Refusal } from 'carillon'
import { record } from '../../shared/record.js'
import type { ChoreDefinition } from './ChoreDefinition.js'
import { bookAfterFire, ControlC, decideControl, isRandom } from './Control.js'
import { tell } from './Happening.js'
import { beginRun } from './runs.js'
import { ChoreConfigC, Conductor, flowNames, Scheduler, Task, type SchedulerData } from './states.js'

export const NewChoreC = record('NewChore', {
  choreId: t.string,
  choreType: t.string,
  name: t.string,
  config: ChoreConfigC,
})
export type NewChore = t.TypeOf<typeof NewChoreC>

export const newChore = (
  definition: ChoreDefinition,
  instance: { readonly choreId: string; readonly name: string },
): NewChore => ({
  ...instance,
  choreType: definition.id,
  config: {
    enabled: false,
    paused: false,
    intervalSeconds: definition.defaultIntervalSeconds,
    maxIntervalSeconds: definition.defaultMaxIntervalSeconds,
    taskTimeoutSeconds: definition.defaultTaskTimeoutSeconds,
    countFrom: definition.countFrom,
  },
})

/** A chore that has just been registered. */
export const emptyScheduler = (owner: Party, chore: NewChore): SchedulerData => ({
  owner,
  ...chore,
  timer: 'set',
  nextScheduledRunAt: null,
  bookingSeed: null,
  lastCompletedRunAt: null,
  conductorActive: false,
  run: 0,
  totalRunCount: 0,
  totalSuccessCount: 0,
  totalFailureCount: 0,
  lastError: null,
  lastErrorAt: null,
})

/**
 * Puts chores on the ledger: disabled, with the defaults of their definition and nothing done. One whose id is taken
 * is left as it is; whoever wanted exactly that one to be new is refused.
 */
export const RegisterChores = defineFlow({
  name: flowNames.register,
  input: t.readonly(t.strict({ chores: t.readonlyArray(NewChoreC), by: t.string })),
  refusals: t.string,
  run: (io, { chores, by }): FlowBody<number | Refusal<string>> =>
    io.transact(function* (tx): FlowBody<number | Refusal<string>> {
      let registered = 0
      for (const chore of chores) {
        if ((yield* io.find(Scheduler, chore.choreId)) !== undefined) {
          if (chores.length > 1) continue
          return refuseWith(`There is a chore ${chore.choreId} already; choose another id.`)
        }
        const scheduler = emptyScheduler(io.me, chore)
        tell(tx.produce(Scheduler, scheduler), scheduler, 'registered', { by })
        registered += 1
      }
      return registered
    }),
})

const booked = (before: SchedulerData, now: Instant, bookingSeed: string | null): SchedulerData => {
  const { config, nextScheduledRunAt: due } = before
  const next = bookAfterFire(due ?? now, now, config, bookingSeed)
  if (next !== undefined) return { ...before, nextScheduledRunAt: next, bookingSeed }
  return {
    ...before,
    ...{ config: { ...config, enabled: false }, nextScheduledRunAt: null, bookingSeed: null },
    ...{ lastError: 'The next run cannot be booked: it would lie beyond the calendar.', lastErrorAt: now },
  }
}

/**
 * Books the next run, and starts the conductor unless the run before is still under way. A chore whose next run cannot
 * be booked is stopped, and says so.
 */
export const Fire = defineFlow({
  name: flowNames.fire,
  schedulable: true,
  input: t.strict({ scheduler: StateRefC }),
  *run(io, { scheduler: ref }): FlowBody<string> {
    const current = yield* io.load(Scheduler, ref)
    const now = yield* io.now()
    const seed = isRandom(current.data.config) ? yield* io.newId() : null
    const after = booked(current.data, now, seed)
    const { scheduler, conductor } = after.conductorActive ? { scheduler: after } : beginRun(after, now)
    yield* io.finalise((tx) => {
      tx.replace(current, scheduler)
      if (conductor !== undefined) tx.produce(Conductor, conductor)
      return tell(tx, scheduler, conductor === undefined ? 'run-skipped' : 'run-started')
    })
    return conductor === undefined ? 'skipped' : 'started'
  },
})

/** What became of a control, as far as a run is concerned. */
export type ControlOutcome = 'nothing' | 'changed' | 'run begun' | 'run ended' | 'deleted'

/**
 * Applies a control in one transaction: the scheduler as decided, a run that begins beside it, or a run that ends with
 * everything it has under way. Who asked is recorded, also when it is the run alone that changes.
 */
export const ControlChore = defineFlow({
  name: flowNames.control,
  input: t.readonly(t.strict({ choreId: t.string, control: ControlC, by: t.string })),
  refusals: t.string,
  run: (io, { choreId, control, by }): FlowBody<ControlOutcome | Refusal<string>> =>
    io.transact(function* (tx): FlowBody<ControlOutcome | Refusal<string>> {
      const current = yield* io.find(Scheduler, choreId)
      if (current === undefined) return refuseWith(`There is no chore ${choreId}.`)
      const now = yield* io.now()
      const seed = isRandom(current.data.config) ? yield* io.newId() : null
      const verdict = decideControl(current.data, control, now, seed)
      // A control belongs to the run it begins, or else to the one that was begun last.
      const controlled = (of: SchedulerData): void => void tell(tx, of, 'control', { by, text: control.verb })
      switch (verdict.kind) {
        case 'nothing':
          return 'nothing'
        case 'refused':
          return refuseWith(verdict.why)
        case 'deleted':
          tx.consume(current)
          controlled(current.data)
          tell(tx, current.data, 'deleted', { by })
          return 'deleted'
        case 'changed': {
          if (verdict.startsRun) {
            const { scheduler, conductor } = beginRun(verdict.scheduler, now)
            tx.replace(current, scheduler).produce(Conductor, conductor)
            controlled(scheduler)
            tell(tx, scheduler, 'run-started', { by })
            return 'run begun'
          }
          if (!verdict.stopsRun) {
            tx.replace(current, verdict.scheduler)
            controlled(verdict.scheduler)
            return 'changed'
          }
          const underWay = [yield* io.find(Conductor, choreId), yield* io.find(Task, choreId)]
          for (const state of underWay) if (state !== undefined) tx.consume(state)
          tx.replace(current, { ...verdict.scheduler, conductorActive: false })
          controlled(current.data)
          tell(tx, current.data, 'run-stopped', { by })
          return 'run ended'
        }
      }
    }),
})
