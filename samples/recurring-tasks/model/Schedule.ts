/**
 * When a task is triggered: at a fixed list of times, sorted and each once, or again and again at a frequency. Times
 * are slots, far enough ahead and within the horizon.
 */
import * as t from 'io-ts'
import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { IntegerC } from 'carillon'
import { refuse, type Refusal } from './Refusal.js'
import type { Settings } from './Settings.js'
import { isReserved, isSlot, slotOf, type UnixTime } from './timeSlots.js'

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

const checkTime = (time: UnixTime, limits: Limits): Either<Refusal, UnixTime> => {
  const { now, settings } = limits
  if (!Number.isSafeInteger(time)) return refuse('TimeTooFarOut')
  if (!isSlot(time, settings)) return refuse('InvalidTime')
  if (time < earliestSlot(limits)) return refuse('PastTime')
  return time > slotOf(now, settings) + settings.horizonSeconds ? refuse('TimeTooFarOut') : right(time)
}

const checkTimes = (times: readonly UnixTime[], limits: Limits): Refusal | undefined => {
  for (const time of times) {
    const checked = checkTime(time, limits)
    if (isLeft(checked)) return checked.left
  }
  return undefined
}

/** The schedule a request asks for, or why it cannot be had. */
export const scheduleOf = (request: ScheduleRequest, limits: Limits): Either<Refusal, Schedule> => {
  if (request.kind === 'recurring') {
    const { next, frequency } = request
    if (frequency <= 0) return refuse('InvalidTime')
    const problem = checkTimes([next, next + frequency], limits)
    return problem === undefined ? right({ kind: 'recurring', next, frequency }) : refuse(problem)
  }
  const times = [...new Set(request.times)].sort((a, b) => a - b)
  if (times.length === 0) return refuse('InvalidTime')
  if (times.length > limits.settings.executionsPerTask) return refuse('TooManyExecutionsTimes')
  const problem = checkTimes(times, limits)
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
