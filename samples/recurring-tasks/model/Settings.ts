/**
 * Everything that can be set about the task registry. It is kept on the ledger, so that a replay and a contract see
 * the very limits that held when something was decided.
 */
import * as t from 'io-ts'
import { IntegerC } from 'carillon'
import { record } from '../../shared/record.js'

export const SettingsC = record(
  'Settings',
  {
    /** Length of a time slot. Tasks can be scheduled only for whole slots. */
    slotSeconds: IntegerC,
    /** How many tasks one slot takes. */
    tasksPerSlot: IntegerC,
    /** How much weight one slot takes; it must be less than what the sweeps of a slot can run. */
    weightPerSlot: IntegerC,
    /** Every so manyth slot takes no tasks, so that what was missed is reported then. 0: none is kept open. */
    reservedEvery: IntegerC,
    /** How many timestamps one task may have. */
    executionsPerTask: IntegerC,
    /** How far ahead a task may be scheduled. */
    horizonSeconds: IntegerC,
    /** `interval`: at least one whole interval from now. `next-slot`: any slot after the present one. */
    lead: t.keyof({ interval: null, 'next-slot': null }),
    /** Seconds from one sweep to the next while a queue is not empty. The seeds call a sweep a block. */
    sweepSeconds: IntegerC,
    /** The weight of a whole sweep. */
    sweepWeight: IntegerC,
    /** Percent of a sweep's weight that is set aside for tasks. */
    tasksPercent: IntegerC,
    /** Percent of the tasks' weight that bringing the queues up to date may take. */
    updatePercent: IntegerC,
    /** Tasks run or reported in one sweep, whatever they weigh. */
    tasksPerSweep: IntegerC,
    /** What looking into one passed slot weighs. */
    slotWeight: IntegerC,
    /** What reporting one missed task weighs. */
    missedWeight: IntegerC,
    /** What running one action weighs. */
    actionWeight: t.readonly(t.strict({ notify: IntegerC, transfer: IntegerC, call: IntegerC })),
    /** Fee for one unit of weight, in the ledger's base units. */
    feePerWeight: IntegerC,
    /** The smallest amount that may be transferred. */
    smallestAmount: IntegerC,
  },
  {
    /** How many bytes a message, or the input of a call, may have. */
    messageBytes: IntegerC,
    /** What each whole 100 bytes of a message, or of the input of a call, weigh on top, and so cost. */
    weightPer100Bytes: IntegerC,
  },
)
export type Settings = t.TypeOf<typeof SettingsC>

/** The seeds' placeholders: hours, a hundred tasks a slot, 24 times a task, ten percent of a sweep. */
export const defaultSettings = {
  slotSeconds: 3_600,
  tasksPerSlot: 100,
  weightPerSlot: 300_000,
  reservedEvery: 0,
  executionsPerTask: 24,
  horizonSeconds: 6 * 30 * 86_400,
  lead: 'interval',
  sweepSeconds: 6,
  sweepWeight: 1_000_000,
  tasksPercent: 10,
  updatePercent: 50,
  tasksPerSweep: 100,
  slotWeight: 100,
  missedWeight: 500,
  messageBytes: 1_000,
  weightPer100Bytes: 100,
  actionWeight: { notify: 1_000, transfer: 2_000, call: 3_000 },
  feePerWeight: 12,
  smallestAmount: 1,
} as const satisfies Settings

/** What holds for messages, also in a registry that was opened before they had a limit. */
export const messageLimits = ({
  messageBytes = defaultSettings.messageBytes,
  weightPer100Bytes = defaultSettings.weightPer100Bytes,
}: Settings) => ({ messageBytes, weightPer100Bytes })

/** What one sweep may spend on tasks. */
export const taskBudget = (settings: Settings): number =>
  Math.floor((settings.sweepWeight * settings.tasksPercent) / 100)

/** What one sweep may spend on bringing the queues up to date. */
export const updateBudget = (settings: Settings): number =>
  Math.floor((taskBudget(settings) * settings.updatePercent) / 100)

/** What all sweeps of one slot can run, once the queues are up to date. */
export const slotCapacity = (settings: Settings): number =>
  Math.floor(settings.slotSeconds / settings.sweepSeconds) * (taskBudget(settings) - updateBudget(settings))

/** A request books all its slots in one transaction, which has room for so many ids. */
const mostIds = 2_500
const mostOfAnything = 1_000_000_000_000

/** Why settings are of no use; undefined when they are fine. */
export const problemWith = (settings: Settings): string | undefined => {
  const all: readonly unknown[] = Object.values({ ...settings, ...settings.actionWeight })
  if (all.some((value) => typeof value === 'number' && (value < 0 || value > mostOfAnything)))
    return 'nothing is below zero or above 10^12'
  const counts = [settings.slotSeconds, settings.tasksPerSlot, settings.executionsPerTask, settings.sweepSeconds]
  if (counts.some((count) => count < 1)) return 'lengths and counts must be at least one'
  if (settings.tasksPerSlot * settings.executionsPerTask > mostIds)
    return `tasks in a slot times executions of a task must be at most ${mostIds}, which one transaction can book`
  if (messageLimits(settings).messageBytes > 10_000) return 'a message has at most 10,000 bytes'
  if (settings.reservedEvery === 1) return 'a registry whose every slot is kept open takes no tasks'
  if (settings.sweepSeconds > settings.slotSeconds) return 'a slot must be at least one sweep long'
  if (settings.tasksPerSweep < 1 || settings.tasksPerSweep > 200) return 'a sweep runs between 1 and 200 tasks'
  if (settings.horizonSeconds % settings.slotSeconds !== 0) return 'the horizon must be a whole number of slots'
  if (settings.tasksPercent > 100 || settings.updatePercent > 100) return 'a share is between 0 and 100 percent'
  // With no share at all nothing runs, and nothing can be promised: that is for tests and emergencies.
  if (settings.tasksPercent > 0 && settings.weightPerSlot >= slotCapacity(settings))
    return `a slot of weight ${settings.weightPerSlot} leaves nothing of the ${slotCapacity(settings)} its sweeps can run, so the missed queue might never drain`
  return undefined
}
