/**
 * Level 1 on the ledger: when the chore runs next, how it is set, and what became of its runs. While it is armed
 * its activity is the next fire. There is exactly one for each chore, from registration to deletion.
 */
import { none, some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import { activity, defineState, InstantC, IntegerC, PartyC } from 'carillon'
import { ChoreConfigC, lifecycleOf } from './ChoreConfig.js'
import { choreContract, schedulerType } from './choreContract.js'
import { flowNames } from './flowNames.js'

const orNull = <C extends t.Mixed>(codec: C) => t.union([codec, t.null])

export const SchedulerC = t.readonly(
  t.strict({
    owner: PartyC,
    choreId: t.string,
    /** The definition it runs; for the default instance the same as its own id. */
    choreType: t.string,
    name: t.string,
    config: ChoreConfigC,
    /**
     * What keeps an enabled chore from firing: `stopped` until it is enabled or triggered, `broken` by the circuit
     * breaker likewise, `cancelled` until timers are resumed.
     */
    timer: t.keyof({ set: null, stopped: null, broken: null, cancelled: null }),
    nextScheduledRunAt: orNull(InstantC),
    /** From which the interval of the present booking was drawn, where there was a choice. */
    bookingSeed: orNull(t.string),
    lastCompletedRunAt: orNull(InstantC),
    conductorActive: t.boolean,
    /** Counts every run that was begun. */
    run: IntegerC,
    totalRunCount: IntegerC,
    totalSuccessCount: IntegerC,
    totalFailureCount: IntegerC,
    lastError: orNull(t.string),
    lastErrorAt: orNull(InstantC),
  }),
  'Scheduler',
)
export type SchedulerData = t.TypeOf<typeof SchedulerC>

export const isArmed = ({ config, timer, nextScheduledRunAt }: SchedulerData): boolean =>
  lifecycleOf(config) === 'Running' && timer === 'set' && nextScheduledRunAt !== null

export const Scheduler = defineState({
  type: schedulerType,
  data: SchedulerC,
  contract: choreContract,
  participants: ({ owner }) => [owner],
  key: ({ choreId }) => choreId,
  nextScheduledActivity: (scheduler, ref) =>
    isArmed(scheduler) && scheduler.nextScheduledRunAt !== null
      ? some(activity(scheduler.nextScheduledRunAt, { name: flowNames.fire, input: { scheduler: ref } }))
      : none,
})
