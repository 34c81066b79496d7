/**
 * The rows of a table that are in memory, each once: whoever finds a row finds the very one that others have changed.
 * What was evicted is read again.
 */
import type { UnitOfWork } from '../UnitOfWork.js'

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
  #rows = new Map<number, Row>()
  /** Those that were there at the last commit of a fold: rows of a log change soon after they came, or not for long. */
  #earlier = new Map<number, Row>()
  readonly #unit: UnitOfWork
  /** Rows that must never be evicted. */
  readonly #kept: () => Iterable<Row>

  constructor(unit: UnitOfWork, kept: () => Iterable<Row> = () => []) {
    this.#unit = unit
    this.#kept = kept
  }

  get(seq: number): Row | undefined {
    return this.#rows.get(seq) ?? this.#earlier.get(seq)
  }

  add(row: Row): void {
    this.#rows.set(row.seq, row)
  }

  addFresh(row: Row): void {
    this.#rows.set(row.seq, row)
  }

  committed(isFolding: boolean): void {
    if (!isFolding && this.#rows.size + this.#earlier.size <= this.#unit.limits.rowsKept) return
    this.#unit.evictions += 1
    this.#earlier = isFolding ? this.#rows : new Map<number, Row>()
    this.#rows = new Map()
    for (const row of this.#kept()) this.#rows.set(row.seq, row)
  }

  clear(): void {
    this.#rows = new Map()
    this.#earlier = new Map()
  }
}
