/**
 * A table whose rows are numbered in log order. Within a tick rows live in memory, each once, and each is written once
 * when the tick closes: a row that is new is inserted with many others, a row that was changed is updated by the columns
 * that changed.
 */
import type { Database, SqlValue, Statement } from '../Database.js'
import type { UnitOfWork } from '../UnitOfWork.js'
import { BulkInsert } from './BulkInsert.js'
import { HashIndex } from './HashIndex.js'
import { RowCache, type CachedRows } from './RowCache.js'

type Numbered = { readonly seq: number }

/** A column by its name, and what it holds of a row. */
export type Column<Row> = readonly [name: string, of: (row: Row) => SqlValue]

export type TableSpec<Row extends Numbered> = {
  readonly name: string
  /** All columns, but `seq`, which is the first. */
  readonly columns: readonly Column<Row>[]
  /** Columns that are changed together, the narrowest set first; each set holds the one before it. */
  readonly changes: readonly (readonly string[])[]
  /** SQL that reads rows, up to its condition. The table is called `s` in it. */
  readonly select: string
  /** Reads a row from the columns that `select` names; its number is the first. */
  readonly read: (values: readonly SqlValue[]) => Row
  /** The random id by which rows are also found. */
  readonly idOf?: (row: Row) => string
}

type Read<Row> = (row: Row) => SqlValue

type Update<Row> = { readonly statement: Statement; readonly reads: readonly Read<Row>[] }

export class Table<Row extends Numbered> {
  readonly #spec: TableSpec<Row>
  readonly #cache: CachedRows<Row>
  /** Rows that are new, in the order of their numbers. */
  #fresh: Row[] = []
  /** Rows that were changed, with the number of the set of columns that were. */
  #changed = new Map<Row, number>()
  readonly #index: HashIndex | undefined
  readonly #insert: BulkInsert
  readonly #reads: readonly Read<Row>[]
  readonly #updates: readonly Update<Row>[]
  readonly #bySeq: Statement
  readonly #lastSeq: Statement
  #nextSeq: number

  constructor(db: Database, unit: UnitOfWork, spec: TableSpec<Row>, cache: CachedRows<Row> = new RowCache<Row>(unit)) {
    const { name, columns, changes, select, idOf } = spec
    this.#spec = spec
    this.#cache = cache
    this.#insert = new BulkInsert(db, name, ['seq', ...columns.map(([column]) => column)])
    this.#reads = columns.map(([, read]) => read)
    this.#updates = changes.map((names) => {
      const changed = columns.filter(([column]) => names.includes(column))
      const settings = changed.map(([column]) => `${column} = ?`).join(', ')
      return {
        statement: db.prepare(`UPDATE ${name} SET ${settings} WHERE seq = ?`),
        reads: changed.map(([, read]) => read),
      }
    })
    this.#bySeq = db.prepare(`${select} WHERE s.seq = ?`)
    this.#lastSeq = db.prepare(`SELECT max(seq) FROM ${name}`)
    this.#index = idOf === undefined ? undefined : new HashIndex(db, unit, name)
    this.#nextSeq = this.#readNextSeq()
    unit.join({
      write: () => this.flush(),
      committed: (isFolding) => this.#cache.committed(isFolding),
      rolledBack: () => {
        this.#cache.clear()
        this.#fresh = []
        this.#changed = new Map()
        this.#insert.clear()
        this.#nextSeq = this.#readNextSeq()
      },
    })
  }

  #readNextSeq(): number {
    return Number(this.#lastSeq.lists()[0]?.[0] ?? 0) + 1
  }

  /** The number the next row must have. */
  get nextSeq(): number {
    return this.#nextSeq
  }

  get #firstFresh(): number {
    return this.#nextSeq - this.#fresh.length
  }

  insert(row: Row): void {
    this.#nextSeq += 1
    // A row that never changes need not be the same object for all who find it.
    if (this.#updates.length > 0) this.#cache.addFresh(row)
    this.#fresh.push(row)
    if (this.#spec.idOf !== undefined) this.#index?.add(this.#spec.idOf(row), row.seq)
  }

  /** To be called after columns of a set were changed; without a number, any that can change. */
  touch(row: Row, set = this.#updates.length - 1): void {
    if (row.seq < this.#firstFresh && (this.#changed.get(row) ?? -1) < set) this.#changed.set(row, set)
  }

  /** The number of the row with an id. */
  locate(id: string): number | undefined {
    return this.#index?.find(id)
  }

  get(seq: number): Row | undefined {
    const known = this.#cache.get(seq) ?? (seq < this.#firstFresh ? undefined : this.#fresh[seq - this.#firstFresh])
    if (known !== undefined) return known
    const [values] = this.#bySeq.lists(seq)
    return values === undefined ? undefined : this.hold(values)
  }

  /** The row that was read, or the one that is in memory: then it is as the tick has left it so far. */
  readonly hold = (values: readonly SqlValue[]): Row => {
    const known = this.#cache.get(Number(values[0]))
    if (known !== undefined) return known
    const row = this.#spec.read(values)
    this.#cache.add(row)
    return row
  }

  /** Writes what the tick has changed so far. The rows stay in memory. */
  flush(): void {
    for (const row of this.#fresh) {
      const values = this.#insert.next()
      values.push(row.seq)
      for (const read of this.#reads) values.push(read(row))
    }
    this.#insert.flush()
    this.#fresh = []
    for (const [row, set] of this.#changed) {
      const update = this.#updates[set]
      if (update === undefined) continue
      const values: SqlValue[] = []
      for (const read of update.reads) values.push(read(row))
      values.push(row.seq)
      update.statement.runList(values)
    }
    this.#changed = new Map()
  }
}
