/**
 * Time as the seeds know it: Unix seconds, cut into slots of equal length, each named by its first second; and
 * what holds the ids of tasks: the slots to come, the task queue of the present slot, and the missed queue, in
 * pages, a page for each slot that passed, so that no sweep ever rewrites all of it.
 */
import { right, type Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { instantFromMillis, IntegerC, PartyC, toMillis, type Instant } from 'carillon'
import { record } from '../../shared/record.js'
import { refuse, type Refusal } from './Refusal.js'
import type { Settings } from './Settings.js'

/** Seconds since 1970, UTC. */
export type UnixTime = number

export const unixTime = (at: Instant): UnixTime => Math.floor(toMillis(at) / 1_000)

export const instantOf = (time: UnixTime): Instant => instantFromMillis(time * 1_000)

/** "To do this we will simply subtract the extra time." */
export const slotOf = (time: UnixTime, { slotSeconds }: Settings): UnixTime => time - (time % slotSeconds)

export const isSlot = (time: UnixTime, { slotSeconds }: Settings): boolean => time % slotSeconds === 0

/** Whether a slot is kept open for what was missed. */
export const isReserved = (slot: UnixTime, { reservedEvery, slotSeconds }: Settings): boolean =>
  reservedEvery > 0 && (slot / slotSeconds) % reservedEvery === 0

/**
 * One entry of the trigger map: a slot and the ids of the tasks it will trigger, in the order they were booked. It
 * exists only while it has tasks, and it never has more than can be run within the slot.
 */
export const TimeSlotC = record('TimeSlot', {
  operator: PartyC,
  at: IntegerC,
  tasks: t.readonlyArray(t.string),
  weight: IntegerC,
})
export type TimeSlot = t.TypeOf<typeof TimeSlotC>

/** Whether a slot has room for one more task of a weight. */
export const hasRoom = (slot: TimeSlot, weight: number, settings: Settings): boolean =>
  slot.tasks.length < settings.tasksPerSlot && slot.weight + weight <= settings.weightPerSlot

/** The slot with a task added, or TimeSlotFull. */
export const tryPush = (slot: TimeSlot, task: string, weight: number, settings: Settings): Either<Refusal, TimeSlot> =>
  hasRoom(slot, weight, settings)
    ? right({ ...slot, tasks: [...slot.tasks, task], weight: slot.weight + weight })
    : refuse('TimeSlotFull')

/** Ids of the present slot that wait to run. */
export const TaskQueueC = record('TaskQueue', { operator: PartyC, at: IntegerC, tasks: t.readonlyArray(t.string) })
export type TaskQueue = t.TypeOf<typeof TaskQueueC>

/** Ids that were not executed during their slot. */
export const MissedPageC = record('MissedPage', {
  operator: PartyC,
  /** Pages are numbered in the order in which they are reported. */
  page: IntegerC,
  /** The slot that passed without running these tasks. */
  at: IntegerC,
  tasks: t.readonlyArray(t.string),
})
export type MissedPage = t.TypeOf<typeof MissedPageC>
