/**
 * Choices made from a seed: the same seed, the same choices, in the same order.
 */
import { seededRandom } from '../seededRandom.js'

/** Choices made from a seed. */
export class Chance {
  readonly #random

  constructor(seed: string) {
    this.#random = seededRandom(seed)
  }

  /** A whole number from 0 to one less than `count`. */
  below(count: number): number {
    return Number.parseInt(this.#random.hex(6), 16) % count
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1)
  }

  /** True once in so many times. */
  oneIn(count: number): boolean {
    return this.below(count) === 0
  }

  /** One of the list, which must not be empty. */
  pick<A>(list: readonly A[]): A {
    const index = this.below(Math.max(1, list.length))
    if (index >= list.length) throw new RangeError('There is nothing to choose from.')
    return list[index] as A
  }

  /** So many of the list, or all of it when it is shorter, in an order of their own. */
  some<A>(list: readonly A[], count: number): readonly A[] {
    const left = [...list]
    return Array.from({ length: Math.min(count, left.length) }, () => left.splice(this.below(left.length), 1)).flat()
  }
}
