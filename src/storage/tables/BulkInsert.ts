/**
 * Writes many rows of one table with few statements: handing a row to SQLite costs as much as storing it, so rows
 * go in groups. They are stored in the order they were added.
 */
import type { Database, SqlValue, Statement } from '../Database.js'

/** The sizes of groups, largest first; what is left over goes one by one. */
const groupSizes = [32, 8, 1] as const

const insertSql = (table: string, columns: readonly string[], rows: number): string => {
  const row = `(${columns.map(() => '?').join(', ')})`
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${Array.from({ length: rows }, () => row).join(', ')}`
}

export class BulkInsert {
  readonly #width: number
  readonly #groups: readonly { readonly rows: number; readonly statement: Statement }[]
  readonly #largest: number
  #values: SqlValue[] = []

  constructor(db: Database, table: string, columns: readonly string[]) {
    this.#width = columns.length
    this.#largest = groupSizes[0] * columns.length
    this.#groups = groupSizes.map((rows) => ({ rows, statement: db.prepare(insertSql(table, columns, rows)) }))
  }

  /**
   * Where the values of one more row are to be pushed, in the order of the columns. It is stored by the next
   * {@link flush} at the latest: a group that is full goes at once, so that many rows never become one long list.
   */
  next(): SqlValue[] {
    if (this.#values.length >= this.#largest) this.flush()
    return this.#values
  }

  flush(): void {
    const values = this.#values
    if (values.length === 0) return
    this.#values = []
    let from = 0
    for (const { rows, statement } of this.#groups)
      for (const width = rows * this.#width; values.length - from >= width; from += width)
        statement.runList(values.length === width ? values : values.slice(from, from + width))
  }

  /** Forgets what was added and not stored. */
  clear(): void {
    this.#values = []
  }
}
