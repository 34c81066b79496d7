/**
 * The scheduler fires: it books the next run, and starts the conductor unless the run before is still under way.
 */
import * as t from 'io-ts'
import { defineFlow, StateRefC, type FlowBody } from 'carillon'
import { bookAfterFire, isRandom } from './book.js'
import { Conductor } from './ConductorState.js'
import { flowNames } from './flowNames.js'
import { happening, HappeningCommand } from './Happening.js'
import { beginRun } from './runs.js'
import { Scheduler } from './SchedulerState.js'

export const Fire = defineFlow({
  name: flowNames.fire,
  schedulable: true,
  input: t.strict({ scheduler: StateRefC }),
  *run(io, { scheduler: ref }): FlowBody<string> {
    const current = yield* io.load(Scheduler, ref)
    const now = yield* io.now()
    const { config, owner } = current.data
    const bookingSeed = isRandom(config) ? yield* io.newId() : null
    const due = current.data.nextScheduledRunAt ?? now
    const booked = {
      ...current.data,
      nextScheduledRunAt: bookAfterFire(due, now, config, bookingSeed),
      bookingSeed,
    }
    if (booked.conductorActive) {
      yield* io.finalise((tx) =>
        tx
          .consume(current)
          .produce(Scheduler, booked)
          .command(HappeningCommand, [owner], happening(booked, 'run-skipped')),
      )
      return 'skipped'
    }
    const { scheduler, conductor } = beginRun(booked, now)
    yield* io.finalise((tx) =>
      tx
        .consume(current)
        .produce(Scheduler, scheduler)
        .produce(Conductor, conductor)
        .command(HappeningCommand, [owner], happening(scheduler, 'run-started')),
    )
    return 'started'
  },
})
