/**
 * What a sweep does in one transaction: as many things, one after another, as have room in it. The first always has; if
 * it cannot be recorded even alone, the sweep comes back with a remedy.
 */
import type { FlowBody } from 'carillon'
import type { Books } from '../Books.js'
import type { Purse } from './Purse.js'

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
