/**
 * Everything that can be set about the task registry. It is kept on the ledger, so that a replay and a contract see
 * the very limits that held when something was decided.
 */
import * as t from 'io-ts'
import { IntegerC } from 'carillon'

export const SettingsC = t.readonly(
  t.strict({
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
    /** Tasks run or reported in one sweep, whatever they weigh, so that a sweep stays one transaction. */
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
  }),
  'Settings',
)
export type Settings = t.TypeOf<typeof SettingsC>

/** The seeds' placeholders: hours, a hundred tasks a slot, 24 times a task, ten percent of a sweep. */
export const defaultSettings: Settings = {
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
  actionWeight: { notify: 1_000, transfer: 2_000, call: 3_000 },
  feePerWeight: 12,
  smallestAmount: 1,
}

/** What one sweep may spend on tasks. */
export const taskBudget = (settings: Settings): number =>
  Math.floor((settings.sweepWeight * settings.tasksPercent) / 100)

/** What one sweep may spend on bringing the queues up to date. */
export const updateBudget = (settings: Settings): number =>
  Math.floor((taskBudget(settings) * settings.updatePercent) / 100)

/** What all sweeps of one slot can run, once the queues are up to date. */
export const slotCapacity = (settings: Settings): number =>
  Math.floor(settings.slotSeconds / settings.sweepSeconds) * (taskBudget(settings) - updateBudget(settings))

/** Why settings are of no use; undefined when they are fine. */
export const problemWith = (settings: Settings): string | undefined => {
  const counts = [settings.slotSeconds, settings.tasksPerSlot, settings.executionsPerTask, settings.sweepSeconds]
  if (counts.some((count) => count < 1)) return 'lengths and counts must be at least one'
  if (settings.sweepSeconds > settings.slotSeconds) return 'a slot must be at least one sweep long'
  if (settings.tasksPerSweep < 1 || settings.tasksPerSweep > 200) return 'a sweep runs between 1 and 200 tasks'
  if (settings.horizonSeconds % settings.slotSeconds !== 0) return 'the horizon must be a whole number of slots'
  if (settings.tasksPercent < 0 || settings.tasksPercent > 100) return 'a share is between 0 and 100 percent'
  if (settings.updatePercent < 0 || settings.updatePercent > 100) return 'a share is between 0 and 100 percent'
  // With no share at all nothing runs, and nothing can be promised: that is for tests and emergencies.
  if (settings.tasksPercent > 0 && settings.weightPerSlot >= slotCapacity(settings))
    return `a slot of weight ${settings.weightPerSlot} leaves nothing of the ${slotCapacity(settings)} its sweeps can run, so the missed queue might never drain`
  return undefined
}
