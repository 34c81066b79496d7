/**
 * Which rows in memory came since it was last asked, so that the others can be let go. Rows of a log that is being folded
 * change soon after they came or not for long; what was let go is read again.
 */
export class RecentRows {
  readonly #rows: Map<number, unknown>
  /** So many of the rows, the first ones of the map, were there before. */
  #earlier = 0

  constructor(rows: Map<number, unknown>) {
    this.#rows = rows
  }

  /** Lets go of the rows that were there at the last turn. They must have been written. */
  turn(): void {
    let left = this.#earlier
    for (const seq of this.#rows.keys()) {
      if (left === 0) break
      left -= 1
      this.#rows.delete(seq)
    }
    this.#earlier = this.#rows.size
  }
}
