/**
 * A task: when it is triggered, at a fixed list of times or again and again, and what it does then: notify, move
 * money, or call a flow of the app. It stays in the task map until its last execution has run or was missed.
 */
import { createHash } from 'node:crypto'
import { right, type Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { canonicalText, IntegerC, JsonC, PartyC } from 'carillon'
import { record } from '../../shared/record.js'
import { AccountIdC, isShortName, type AccountId } from './Origin.js'
import { refuse, type Refusal } from './Refusal.js'
import { defaultSettings, messageLimits, type Settings } from './Settings.js'
import { isReserved, isSlot, slotOf, type UnixTime } from './slots.js'

/** The function to execute for a given trigger. */
export const ActionC = t.union(
  [
    t.readonly(t.strict({ kind: t.literal('notify'), message: t.string })),
    t.readonly(t.strict({ kind: t.literal('transfer'), to: AccountIdC, amount: IntegerC })),
    t.readonly(t.strict({ kind: t.literal('call'), flow: t.string, input: JsonC })),
  ],
  'Action',
)
export type Action = t.TypeOf<typeof ActionC>

/** How many bytes of text an action brings along, which every sweep that runs it has to carry. */
const bytesOf = (action: Action): number => {
  switch (action.kind) {
    case 'notify':
      return Buffer.byteLength(action.message)
    case 'transfer':
      return 0
    case 'call':
      return Buffer.byteLength(canonicalText(action.input))
  }
}

export const weightOf = (action: Action, settings: Settings): number =>
  settings.actionWeight[action.kind] + Math.floor(bytesOf(action) / 100) * messageLimits(settings).weightPer100Bytes

/** Fee of so many executions of an action. */
export const feeFor = (action: Action, executions: number, settings: Settings): number =>
  weightOf(action, settings) * executions * settings.feePerWeight

const isTooLong = (action: Action, settings: Settings): boolean =>
  bytesOf(action) > messageLimits(settings).messageBytes

/** Why an action cannot be had, whatever the ledger holds. Whether a call can be decoded shows when it is made. */
export const problemWithAction = (action: Action, owner: AccountId, settings: Settings): Refusal | undefined => {
  switch (action.kind) {
    case 'notify':
      if (action.message === '') return 'EmptyMessage'
      return isTooLong(action, settings) ? 'MessageTooLong' : undefined
    case 'transfer':
      if (action.amount < settings.smallestAmount) return 'InvalidAmount'
      if (!isShortName(action.to)) return 'NameTooLong'
      return action.to === owner ? 'TransferToSelf' : undefined
    case 'call':
      if (!isShortName(action.flow)) return 'NameTooLong'
      return isTooLong(action, settings) ? 'MessageTooLong' : undefined
  }
}

/** What a caller asks for. */
export const ScheduleRequestC = t.union(
  [
    t.readonly(t.strict({ kind: t.literal('fixed'), times: t.readonlyArray(IntegerC) })),
    t.readonly(t.strict({ kind: t.literal('recurring'), next: IntegerC, frequency: IntegerC })),
  ],
  'ScheduleRequest',
)
export type ScheduleRequest = t.TypeOf<typeof ScheduleRequestC>

/** What a task keeps. */
export const ScheduleC = t.union(
  [
    t.readonly(t.strict({ kind: t.literal('fixed'), times: t.readonlyArray(IntegerC), executionsLeft: IntegerC })),
    t.readonly(t.strict({ kind: t.literal('recurring'), next: IntegerC, frequency: IntegerC })),
  ],
  'Schedule',
)
export type Schedule = t.TypeOf<typeof ScheduleC>

/** What the clock and the settings allow. A clock that went back opens no slot that has been swept. */
export type Limits = { readonly now: UnixTime; readonly swept: UnixTime; readonly settings: Settings }

/** The first slot that takes a task. */
export const earliestSlot = ({ now, swept, settings }: Limits): UnixTime => {
  const { slotSeconds } = settings
  const ahead =
    settings.lead === 'interval' ? slotOf(now + 2 * slotSeconds - 1, settings) : slotOf(now, settings) + slotSeconds
  return Math.max(ahead, swept + slotSeconds)
}

const problemWithTime = (time: UnixTime, limits: Limits): Refusal | undefined => {
  const { now, settings } = limits
  if (!Number.isSafeInteger(time)) return 'TimeTooFarOut'
  if (!isSlot(time, settings)) return 'InvalidTime'
  if (time < earliestSlot(limits)) return 'PastTime'
  return time > slotOf(now, settings) + settings.horizonSeconds ? 'TimeTooFarOut' : undefined
}

/** What is wrong with the first time that is wrong. */
const problemWithTimes = (times: readonly UnixTime[], limits: Limits): Refusal | undefined =>
  times.map((time) => problemWithTime(time, limits)).find((problem) => problem !== undefined)

/** The schedule a request asks for, or why it cannot be had. */
export const scheduleOf = (request: ScheduleRequest, limits: Limits): Either<Refusal, Schedule> => {
  if (request.kind === 'recurring') {
    const { next, frequency } = request
    if (frequency <= 0) return refuse('InvalidTime')
    const problem = problemWithTimes([next, next + frequency], limits)
    return problem === undefined ? right({ kind: 'recurring', next, frequency }) : refuse(problem)
  }
  const times = [...new Set(request.times)].sort((a, b) => a - b)
  if (times.length === 0) return refuse('InvalidTime')
  if (times.length > limits.settings.executionsPerTask) return refuse('TooManyExecutionsTimes')
  const problem = problemWithTimes(times, limits)
  return problem === undefined ? right({ kind: 'fixed', times, executionsLeft: times.length }) : refuse(problem)
}

/** How many executions are known of: all that are left of a fixed schedule, the next one of a recurring one. */
export const knownExecutions = (schedule: Schedule): number => (schedule.kind === 'fixed' ? schedule.executionsLeft : 1)

/** The slots a schedule may still be booked in, in order. */
export const timesOf = (schedule: Schedule): readonly UnixTime[] =>
  schedule.kind === 'fixed' ? schedule.times : [schedule.next]

/** The first time of a recurring schedule that is still to come; whatever was passed over is not made up for. */
export const nextOnGrid = (next: UnixTime, frequency: number, now: UnixTime): UnixTime =>
  next + frequency * (1 + Math.max(0, Math.floor((now - next) / frequency)))

/** As {@link nextOnGrid}, past a slot that is kept open. Where two in a row are, all of its grid is, and it stays on it. */
export const nextOpenOnGrid = (next: UnixTime, frequency: number, { now, swept, settings }: Limits): UnixTime => {
  const first = nextOnGrid(next, frequency, Math.max(now, swept))
  return isReserved(first, settings) && !isReserved(first + frequency, settings) ? first + frequency : first
}

/** How the executions of a task have gone so far. */
export const CountsC = record('Counts', { executed: IntegerC, failed: IntegerC, missed: IntegerC })
export type Counts = t.TypeOf<typeof CountsC>

export const TaskC = record('Task', {
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
})
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
