/**
 * Puts chores on the ledger: disabled, with the defaults of their definition and nothing done. One whose id is taken is
 * left as it is; whoever wanted exactly that one to be new is refused.
 */
import * as t from 'io-ts'
import { defineFlow, refuseWith, type FlowBody, type Party, type Refusal } from 'carillon'
import { ChoreConfigC } from './ChoreConfig.js'
import type { ChoreDefinition } from './ChoreDefinition.js'
import { flowNames } from './flowNames.js'
import { happening, HappeningCommand } from './Happening.js'
import { Scheduler, type SchedulerData } from './SchedulerState.js'

export const NewChoreC = t.readonly(
  t.strict({ choreId: t.string, choreType: t.string, name: t.string, config: ChoreConfigC }),
  'NewChore',
)
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

const emptyScheduler = (owner: Party, chore: NewChore): SchedulerData => ({
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
        tx.produce(Scheduler, emptyScheduler(io.me, chore)).command(
          HappeningCommand,
          [io.me],
          happening({ choreId: chore.choreId, run: 0 }, 'registered', { by }),
        )
        registered += 1
      }
      return registered
    }),
})
