/**
 * Puts chores on the ledger that are not there yet: disabled, with the defaults of their definition and nothing done.
 */
import * as t from 'io-ts'
import { defineFlow, IntegerC, type FlowBody, type Party } from 'carillon'
import { ChoreConfigC } from './ChoreConfig.js'
import type { ChoreDefinition } from './ChoreDefinition.js'
import { flowNames } from './flowNames.js'
import { happening, HappeningCommand } from './Happening.js'
import { Scheduler, type SchedulerData } from './SchedulerState.js'

export const NewChoreC = t.readonly(
  t.strict({ choreId: t.string, choreType: t.string, name: t.string, serial: IntegerC, config: ChoreConfigC }),
  'NewChore',
)
export type NewChore = t.TypeOf<typeof NewChoreC>

export const newChore = (
  definition: ChoreDefinition,
  instance: { readonly choreId: string; readonly name: string; readonly serial: number },
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

const emptyScheduler = (owner: Party, chore: NewChore): SchedulerData => ({
  owner,
  ...chore,
  timer: 'set',
  nextScheduledRunAt: null,
  bookingSeed: null,
  lastCompletedRunAt: null,
  conductorActive: false,
  run: 0,
  lastTask: null,
  totalRunCount: 0,
  totalSuccessCount: 0,
  totalFailureCount: 0,
  lastError: null,
  lastErrorAt: null,
})

export const RegisterChores = defineFlow({
  name: flowNames.register,
  input: t.readonly(t.strict({ chores: t.readonlyArray(NewChoreC), by: t.string })),
  *run(io, { chores, by }): FlowBody<void> {
    yield* io.finalise((tx) =>
      chores.reduce(
        (soFar, chore) =>
          soFar
            .produce(Scheduler, emptyScheduler(io.me, chore))
            .command(HappeningCommand, [io.me], happening({ choreId: chore.choreId, run: 0 }, 'registered', { by })),
        tx,
      ),
    )
  },
})
