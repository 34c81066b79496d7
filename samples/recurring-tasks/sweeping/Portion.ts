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

/** What is left for one thing: how often it may be done in all and has been, and how much weight there is for it. */
type Share = { readonly times: number; readonly done: number; readonly weight: number }

const hasRoom = ({ times, done, weight }: Share, needed: number): boolean =>
  done < times && (done === 0 || needed <= weight)

const spend = (share: Share, weight: number): Share => ({
  ...share,
  done: share.done + 1,
  weight: share.weight - weight,
})

/** Bringing the queues up to date spends of its own share and of that of the tasks. */
export type Purse = { readonly tasks: Share; readonly update: Share }

/** The purse of a new sweep; an empty one when tasks have no share at all. */
export const purseFor = (settings: Settings): Purse => {
  const weight = taskBudget(settings)
  const times = (most: number): number => (weight === 0 ? 0 : most)
  return {
    tasks: { times: times(settings.tasksPerSweep), done: 0, weight },
    update: { times: times(slotsPerSweep), done: 0, weight: updateBudget(settings) },
  }
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
    /** What is left of it. */
    public purse: Purse,
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

  /** Looks into a passed slot, if that can be paid for and has room. */
  *look(weight: number, work: FlowBody<void>): FlowBody<boolean> {
    const { tasks, update } = this.purse
    if (!hasRoom(update, weight) || !(yield* this.fit(work))) return false
    this.purse = { tasks: { ...tasks, weight: tasks.weight - weight }, update: spend(update, weight) }
    return true
  }

  /** Runs or reports a task, if that can be paid for and has room. */
  *run(weight: number, work: FlowBody<void>): FlowBody<boolean> {
    const { tasks } = this.purse
    if (!hasRoom(tasks, weight) || !(yield* this.fit(work))) return false
    this.purse = { ...this.purse, tasks: spend(tasks, weight) }
    return true
  }
}
