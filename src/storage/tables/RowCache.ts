/**
 * The rows of a table that are in memory, each once: whoever finds a row finds the very one that others have changed.
 * What was evicted is read again.
 */
import type { StorageLimits } from '../limits.js'

/** What a table asks of its cache. */
export type CachedRows<Row> = {
  readonly get: (seq: number) => Row | undefined
  /** Holds a row that was read. */
  readonly add: (row: Row) => void
  /** Holds a row that was made. */
  readonly addFresh: (row: Row) => void
  /** All rows are written: some can be evicted. */
  readonly committed: (isFolding: boolean) => void
  readonly clear: () => void
}

export class RowCache<Row extends { readonly seq: number }> implements CachedRows<Row> {
  readonly #rows = new Map<number, Row>()
  /** Rows that must never be evicted. */
  readonly #rowsKept: number
  readonly #kept: () => Iterable<Row>
  /** So many of the rows, the first ones of the map, were there at the last commit of a fold. */
  #earlier = 0

  constructor({ rowsKept }: StorageLimits, kept: () => Iterable<Row> = () => []) {
    this.#rowsKept = rowsKept
    this.#kept = kept
  }

  get(seq: number): Row | undefined {
    return this.#rows.get(seq)
  }

  add(row: Row): void {
    this.#rows.set(row.seq, row)
  }

  addFresh(row: Row): void {
    this.#rows.set(row.seq, row)
  }

  committed(isFolding: boolean): void {
    if (isFolding) this.#evictEarlier()
    else if (this.#rows.size > this.#rowsKept) this.#rows.clear()
    else return
    for (const row of this.#kept()) this.#rows.set(row.seq, row)
  }

  /** Rows of a log that is being folded change soon after they came or not for long. */
  #evictEarlier(): void {
    let left = this.#earlier
    for (const seq of this.#rows.keys()) {
      if (left === 0) break
      left -= 1
      this.#rows.delete(seq)
    }
    this.#earlier = this.#rows.size
  }

  clear(): void {
    this.#rows.clear()
  }
}
