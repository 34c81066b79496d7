/**
 * What a sweep has left to spend. What is too heavy for a whole sweep is done when it comes first, or it would never be.
 */
import { taskBudget, updateBudget, type Settings } from '../model/Settings.js'

/**
 * Slots looked into in one sweep, whatever they weigh. All slots of an outage ring at once: as long as the first of them
 * sweeps without a pause, the others see that it has been done.
 */
const slotsPerSweep = 50

export type Purse = { weight: number; update: number; slots: number; places: number; looked: number; worked: number }

/** The purse of a new sweep; an empty one when tasks have no share at all. */
export const purseFor = (settings: Settings): Purse => {
  const weight = taskBudget(settings)
  const places = weight === 0 ? 0 : settings.tasksPerSweep
  const slots = weight === 0 ? 0 : slotsPerSweep
  return { weight, update: updateBudget(settings), slots, places, looked: 0, worked: 0 }
}

export const mayLook = (purse: Purse, weight: number): boolean =>
  purse.looked < purse.slots && (purse.looked === 0 || weight <= purse.update)

/** Pays for having looked into a passed slot. */
export const payLook = (purse: Purse, weight: number): void => {
  purse.weight -= weight
  purse.update -= weight
  purse.looked += 1
}

export const mayWork = (purse: Purse, weight: number): boolean =>
  purse.worked < purse.places && (purse.worked === 0 || weight <= purse.weight)

/** Pays for a task that was run or reported. */
export const payWork = (purse: Purse, weight: number): void => {
  purse.weight -= weight
  purse.worked += 1
}
