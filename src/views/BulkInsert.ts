/**
 * Writes many rows of one table with few statements: handing a row to SQLite costs as much as storing it, so rows
 * go in groups, and columns that few rows have anything in are left out where a row has nothing in them. Rows of either
 * kind are stored in the order they were added.
 */
import type { Database, SqlValue, Statement } from './Database.js'

/** The sizes of groups, largest first; what is left over goes one by one. */
const groupSizes = [32, 8, 1] as const

const insertSql = (table: string, columns: readonly string[], rows: number): string => {
  const row = `(${columns.map(() => '?').join(', ')})`
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${Array.from({ length: rows }, () => row).join(', ')}`
}

/** Rows that all have the same columns. */
class Rows {
  readonly #width: number
  readonly #groups: readonly { readonly rows: number; readonly statement: Statement }[]
  values: SqlValue[] = []

  constructor(db: Database, table: string, columns: readonly string[]) {
    this.#width = columns.length
    this.#groups = groupSizes.map((rows) => ({ rows, statement: db.prepare(insertSql(table, columns, rows)) }))
  }

  flush(): void {
    const { values } = this
    if (values.length === 0) return
    this.values = []
    let from = 0
    for (const { rows, statement } of this.#groups)
      for (const width = rows * this.#width; values.length - from >= width; from += width)
        statement.runList(values.slice(from, from + width))
  }
}

export class BulkInsert {
  readonly #common: Rows
  /** Undefined when no column is rare. */
  readonly #whole: Rows | undefined
  readonly #commonWidth: number

  /** `rare` are the columns that most rows have nothing in. */
  constructor(db: Database, table: string, columns: readonly string[], rare: readonly string[] = []) {
    this.#commonWidth = columns.length
    this.#common = new Rows(db, table, columns)
    this.#whole = rare.length === 0 ? undefined : new Rows(db, table, [...columns, ...rare])
  }

  /** Adds a row: its values in the order of the columns, the rare ones last. It is stored by the next {@link flush}. */
  add(...row: readonly SqlValue[]): void {
    const whole = this.#whole
    if (whole !== undefined) {
      for (let place = this.#commonWidth; place < row.length; place++) {
        if (row[place] === null) continue
        for (const value of row) whole.values.push(value)
        return
      }
    }
    const { values } = this.#common
    for (let place = 0; place < this.#commonWidth; place++) values.push(row[place] ?? null)
  }

  flush(): void {
    this.#common.flush()
    this.#whole?.flush()
  }

  /** Forgets what was added and not stored. */
  clear(): void {
    this.#common.values = []
    if (this.#whole !== undefined) this.#whole.values = []
  }
}
