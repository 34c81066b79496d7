/**
 * First in, first out, however long it grows. Taking from the front of a plain array moves all the others, which
 * for the longest queues a node may have takes longer than the work itself.
 */
export class Queue<A> {
  #items: (A | undefined)[] = []
  #first = 0

  get length(): number {
    return this.#items.length - this.#first
  }

  push(item: A): void {
    this.#items.push(item)
  }

  /** Puts items back before all others, in their order. */
  putBack(items: readonly A[]): void {
    if (items.length === 0) return
    this.#items = [...items, ...this.#rest()]
    this.#first = 0
  }

  take(): A | undefined {
    if (this.#first === this.#items.length) return undefined
    const item = this.#items[this.#first]
    // What was taken may be collected, although its place is kept for a while.
    this.#items[this.#first] = undefined
    this.#first += 1
    if (this.#first * 2 > this.#items.length) {
      this.#items = this.#rest()
      this.#first = 0
    }
    return item
  }

  /** Takes out what fits, wherever it stands. */
  remove(fits: (item: A) => boolean): void {
    this.#items = this.#rest().filter((item) => item !== undefined && !fits(item))
    this.#first = 0
  }

  /** Takes everything. */
  drain(): readonly A[] {
    const all: A[] = []
    for (let item = this.take(); item !== undefined; item = this.take()) all.push(item)
    return all
  }

  #rest(): (A | undefined)[] {
    return this.#items.slice(this.#first)
  }
}
