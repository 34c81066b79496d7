/**
 * A table whose rows are numbered in log order. Within a tick rows live in memory, each once, and each is written once
 * when the tick closes: a row that is new is inserted with many others, a row that was changed is updated by the columns
 * that changed.
 */
import { assertInvariant } from '../../errors/CarillonError.js'
import type { Database, SqlValue, Statement } from '../Database.js'
import type { UnitOfWork } from '../UnitOfWork.js'
import { BulkInsert } from './BulkInsert.js'
import { HashIndex } from './HashIndex.js'
import { RowCache, type CachedRows } from './RowCache.js'

type Numbered = { readonly seq: number }

export type TableSpec<Row extends Numbered> = {
  readonly name: string
  /** All columns, in the order of `read` and `values`; the first is `seq`. */
  readonly columns: readonly string[]
  /** Columns that are changed together, the narrowest set first; each set holds the one before it. */
  readonly changes: readonly (readonly string[])[]
  /** Columns of the narrowest set that are mostly null once a row was changed: then they are set to that all at once. */
  readonly emptied?: readonly string[]
  /** SQL that reads rows, up to its condition. The table is called `s` in it. */
  readonly select: string
  /** Reads a row from the columns that `select` names: those of the table come first. */
  readonly read: (values: readonly SqlValue[]) => Row
  /** What the columns hold of a row. */
  readonly values: (row: Row) => readonly SqlValue[]
  /** The random id by which rows are also found. */
  readonly idOf?: (row: Row) => string
}

/** A statement that updates some columns, and the places of these among all. */
type Update = { readonly statement: Statement; readonly places: readonly number[] }

/** An update for rows that hold nothing at some places. */
type EmptyingUpdate = Update & { readonly empty: readonly number[] }

export class Table<Row extends Numbered> {
  readonly #spec: TableSpec<Row>
  readonly #cache: CachedRows<Row>
  /** Rows that are new, in the order of their numbers. */
  #fresh: Row[] = []
  /** Rows that were changed, with the number of the set of columns that were. */
  #changed = new Map<Row, number>()
  readonly #index: HashIndex | undefined
  readonly #insert: BulkInsert
  readonly #updates: readonly Update[]
  readonly #emptying: EmptyingUpdate | undefined
  readonly #bySeq: Statement
  readonly #lastSeq: Statement
  #nextSeq: number

  constructor(db: Database, unit: UnitOfWork, spec: TableSpec<Row>, cache: CachedRows<Row> = new RowCache<Row>(unit)) {
    const { name, columns, changes, emptied, select, idOf } = spec
    this.#spec = spec
    this.#cache = cache
    assertInvariant(columns[0] === 'seq', `the first column of ${name} is not its number`)
    this.#insert = new BulkInsert(db, name, columns)
    const placesOf = (names: readonly string[]): readonly number[] => names.map((column) => columns.indexOf(column))
    const updating = (names: readonly string[], nulls: readonly string[]): Update => ({
      statement: db.prepare(
        `UPDATE ${name} SET ${[...names.map((column) => `${column} = ?`), ...nulls.map((column) => `${column} = NULL`)].join(', ')} WHERE seq = ?`,
      ),
      places: placesOf([...names, 'seq']),
    })
    this.#updates = changes.map((names) => updating(names, []))
    const [narrowest = []] = changes
    this.#emptying = emptied && {
      ...updating(
        narrowest.filter((column) => !emptied.includes(column)),
        emptied,
      ),
      empty: placesOf(emptied),
    }
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

  /** Whether the tick has changed nothing that is not written. */
  get isUnchanged(): boolean {
    return this.#fresh.length === 0 && this.#changed.size === 0
  }

  /** Writes what the tick has changed so far. The rows stay in memory. */
  flush(): void {
    for (const row of this.#fresh) {
      this.#insert.next().push(...this.#spec.values(row))
    }
    this.#insert.flush()
    this.#fresh = []
    for (const [row, set] of this.#changed) {
      const values = this.#spec.values(row)
      const update = this.#updateFor(set, values)
      update?.statement.runList(update.places.map((place) => values[place] ?? null))
    }
    this.#changed = new Map()
  }

  #updateFor(set: number, values: readonly SqlValue[]): Update | undefined {
    const emptying = set === 0 ? this.#emptying : undefined
    return emptying?.empty.every((place) => values[place] === null) === true ? emptying : this.#updates[set]
  }
}
