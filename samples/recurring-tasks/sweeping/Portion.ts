/**
 * What bounds a sweep: the purse of all it may spend, and the portion that it does in one transaction, as many
 * things, one after another, as have room in it. What is too heavy for the whole of either is done when it comes
 * first, or it would never be.
 */
import type { FlowBody } from 'carillon'
import type { Books } from '../Books.js'
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

/** Far below what one fact of the log may have, since this is an estimate. */
const portionBytes = 96 * 1_024

/**
 * What becomes of an execution that cannot be recorded: it fails; if that cannot be recorded either, its task is
 * dropped; and while another flow holds what it needs, it is put off behind the others.
 */
export type Remedy = { readonly kind: 'fail' | 'drop' | 'defer'; readonly error: string }

export class Portion {
  #done = 0
  #isFull = false

  constructor(
    readonly books: Books,
    readonly purse: Purse,
    /** How many things it does at most. */
    readonly most: number,
    readonly remedy: Remedy | undefined,
  ) {}

  /** Whether there was more to do than had room. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** Does one thing if it has room; says whether it did. */
  *fit(work: FlowBody<void>): FlowBody<boolean> {
    if (this.#done === this.most) this.#isFull = true
    if (this.#isFull) return false
    const undo = this.books.mark()
    yield* work
    if (this.#done > 0 && this.books.bytes > portionBytes) {
      undo()
      this.#isFull = true
      return false
    }
    this.#done += 1
    return true
  }
}
