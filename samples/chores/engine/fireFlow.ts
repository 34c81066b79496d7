/**
 * The scheduler fires: it books the next run, and starts the conductor unless the run before is still under way. A chore
 * whose next run cannot be booked is stopped, and says so.
 */
import * as t from 'io-ts'
import { defineFlow, StateRefC, type FlowBody, type Instant } from 'carillon'
import { bookAfterFire, isRandom } from './book.js'
import { Conductor } from './ConductorState.js'
import { flowNames } from './flowNames.js'
import { happening, HappeningCommand } from './Happening.js'
import { beginRun } from './runs.js'
import { Scheduler, type SchedulerData } from './SchedulerState.js'

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

export const Fire = defineFlow({
  name: flowNames.fire,
  schedulable: true,
  input: t.strict({ scheduler: StateRefC }),
  *run(io, { scheduler: ref }): FlowBody<string> {
    const current = yield* io.load(Scheduler, ref)
    const now = yield* io.now()
    const seed = isRandom(current.data.config) ? yield* io.newId() : null
    const after = booked(current.data, now, seed)
    const { owner, conductorActive } = after
    const { scheduler, conductor } = conductorActive ? { scheduler: after } : beginRun(after, now)
    yield* io.finalise((tx) => {
      tx.replace(current, scheduler)
      if (conductor !== undefined) tx.produce(Conductor, conductor)
      const kind = conductor === undefined ? 'run-skipped' : 'run-started'
      return tx.command(HappeningCommand, [owner], happening(scheduler, kind))
    })
    return conductor === undefined ? 'skipped' : 'started'
  },
})
