/**
 * Which rows in memory came since it was last asked, so that the others can be let go. Rows of a log that is being folded
 * change soon after they came or not for long; what was let go is read again.
 */
export class RecentRows<Row> {
  readonly #rows: Map<number, Row>
  /** So many of the rows, the first ones of the map, were there before. */
  #earlier = 0

  constructor(rows: Map<number, Row>) {
    this.#rows = rows
  }

  /** Lets go of the rows that were there at the last turn, and gives them. They must have been written. */
  turn(): readonly Row[] {
    const gone: Row[] = []
    for (const [seq, row] of this.#rows) {
      if (gone.length >= this.#earlier) break
      gone.push(row)
      this.#rows.delete(seq)
    }
    this.#earlier = this.#rows.size
    return gone
  }
}
