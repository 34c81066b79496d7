/**
 * Level 2 on the ledger: a run under way. Its activity is the next tick. It exists only while the run lasts, and
 * only its own tick moves it; whoever ends the run consumes it.
 */
import { some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import { activity, defineState, InstantC, IntegerC, PartyC } from 'carillon'
import { choreContract, conductorType } from './choreContract.js'
import { CompletedTaskC } from './CompletedTask.js'
import { flowNames } from './flowNames.js'

export const ConductorC = t.readonly(
  t.strict({
    owner: PartyC,
    choreId: t.string,
    choreType: t.string,
    run: IntegerC,
    startedAt: InstantC,
    invocationCount: IntegerC,
    nextTickAt: InstantC,
    /** The node's term in which this run lives; none before its first tick. In another term its closures are lost. */
    life: t.union([IntegerC, t.null]),
    tasksStarted: IntegerC,
    lastCompletedTask: t.union([CompletedTaskC, t.null]),
  }),
  'Conductor',
)
export type ConductorData = t.TypeOf<typeof ConductorC>

export const Conductor = defineState({
  type: conductorType,
  data: ConductorC,
  contract: choreContract,
  participants: ({ owner }) => [owner],
  key: ({ choreId }) => choreId,
  nextScheduledActivity: ({ nextTickAt }, ref) =>
    some(activity(nextTickAt, { name: flowNames.conduct, input: { conductor: ref } })),
})
