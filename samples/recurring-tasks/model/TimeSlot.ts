/**
 * One entry of the trigger map: a time slot and the ids of the tasks it will trigger, in the order they were booked.
 * An entry exists only while it has tasks, and it never has more than can be run within the slot.
 */
import * as t from 'io-ts'
import { right, type Either } from 'fp-ts/lib/Either.js'
import { IntegerC, PartyC } from 'carillon'
import { refuse, type Refusal } from './Refusal.js'
import type { Settings } from './Settings.js'

export const TimeSlotC = t.readonly(
  t.strict({ operator: PartyC, at: IntegerC, tasks: t.readonlyArray(t.string), weight: IntegerC }),
  'TimeSlot',
)
export type TimeSlot = t.TypeOf<typeof TimeSlotC>

/** Whether a slot has room for one more task of a weight. */
export const hasRoom = (slot: TimeSlot, weight: number, settings: Settings): boolean =>
  slot.tasks.length < settings.tasksPerSlot && slot.weight + weight <= settings.weightPerSlot

/** The slot with a task added, or TimeSlotFull. */
export const tryPush = (slot: TimeSlot, task: string, weight: number, settings: Settings): Either<Refusal, TimeSlot> =>
  hasRoom(slot, weight, settings)
    ? right({ ...slot, tasks: [...slot.tasks, task], weight: slot.weight + weight })
    : refuse('TimeSlotFull')
