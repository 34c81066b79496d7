/**
 * A task: a trigger and an action. It stays in the task map until its last execution has run or was missed.
 */
import { createHash } from 'node:crypto'
import * as t from 'io-ts'
import { canonicalText, IntegerC, PartyC } from 'carillon'
import { ActionC } from './Action.js'
import { AccountIdC, type AccountId } from './Origin.js'
import { ScheduleC } from './Schedule.js'
import { defaultSettings } from './Settings.js'

/** How the executions of a task have gone so far. */
export const CountsC = t.readonly(t.strict({ executed: IntegerC, failed: IntegerC, missed: IntegerC }), 'Counts')
export type Counts = t.TypeOf<typeof CountsC>

export const TaskC = t.readonly(
  t.strict({
    operator: PartyC,
    id: t.string,
    owner: AccountIdC,
    providedId: t.string,
    schedule: ScheduleC,
    action: ActionC,
    /** Errors after which a recurring task is not scheduled again. */
    abortErrors: t.readonlyArray(t.string),
    counts: CountsC,
    /** Calls that are under way. */
    calling: IntegerC,
    /** What it weighed when it was booked; the settings may have changed since. */
    weight: IntegerC,
    /** Tells it from another task that had the same id before it. */
    incarnation: t.string,
  }),
  'Task',
)
export type Task = t.TypeOf<typeof TaskC>

/**
 * "Since we are hashing the caller's account_id and the provided_id for the task_id, the provided_id only needs to be
 * unique to that caller."
 */
export const taskIdOf = (owner: AccountId, providedId: string): string =>
  createHash('blake2s256')
    .update(canonicalText([owner, providedId]))
    .digest('hex')

/** Tasks stored when a task had a single time. */
export const withListOfTimes = (older: unknown): unknown => {
  if (typeof older !== 'object' || older === null || !('time' in older)) return older
  const { time, ...rest } = older
  return { ...rest, schedule: { kind: 'fixed', times: [time], executionsLeft: 1 } }
}

/** Tasks stored before they knew their weight, under the settings of that time, and which of their id they are. */
export const withWeight = (older: unknown): unknown => {
  if (typeof older !== 'object' || older === null || !('action' in older)) return older
  const { action } = older
  const weight = ActionC.is(action) ? defaultSettings.actionWeight[action.kind] : 0
  return { ...older, weight, incarnation: '' }
}
