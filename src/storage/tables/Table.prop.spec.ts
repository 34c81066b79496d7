import { expect } from 'chai'
import fc from 'fast-check'
import { sha256 } from '../../encoding/hash.js'
import { storageLimits, type StorageLimits } from '../limits.js'
import type { Database } from '../Database.js'
import { openDatabase } from '../sqlite/openDatabase.js'
import { UnitOfWork } from '../UnitOfWork.js'
import { findByHash, hashIndexSchema } from './HashIndex.js'
import { Table, type TableSpec } from './Table.js'

type Thing = { readonly seq: number; readonly id: string; step: number; note: string | null; name: string }

const spec: TableSpec<Thing> = {
  name: 'things',
  columns: ['seq', 'id', 'step', 'note', 'name'],
  values: (row) => [row.seq, row.id, row.step, row.note, row.name],
  changes: [
    ['step', 'note'],
    ['step', 'note', 'name'],
  ],
  emptied: ['note'],
  select: 'SELECT seq, id, step, note, name FROM things s',
  read: ([seq, id, step, note, name]) => ({
    seq: Number(seq),
    id: String(id),
    step: Number(step),
    note: typeof note === 'string' ? note : null,
    name: String(name),
  }),
  idOf: (row) => row.id,
}

const schema = `CREATE TABLE things (seq INTEGER PRIMARY KEY, id TEXT NOT NULL, step INTEGER NOT NULL, note TEXT, name TEXT NOT NULL) STRICT; ${hashIndexSchema('things')}`

const idOf = (seq: number): string => sha256(String(seq))

/** The same table without memory: what stands, and what the open tick makes of it. */
class PlainThings {
  #standing: readonly Thing[] = []
  #assumed: readonly Thing[] = []
  rows: Thing[] = []

  /** The tick is over, and others are decided as if it stood. */
  assume(): void {
    this.#assumed = this.rows.map((row) => ({ ...row }))
  }

  commit(): void {
    this.assume()
    this.#standing = this.#assumed
  }

  rollback(): void {
    this.rows = this.#assumed.map((row) => ({ ...row }))
  }

  reload(): void {
    this.#assumed = this.#standing
    this.rollback()
  }
}

const walks = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('insert' as const), count: fc.integer({ min: 1, max: 60 }) }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('step', 'rename', 'find'), which: fc.nat() }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constantFrom('flush', 'commit', 'fold', 'assume', 'rollback', 'reload') }),
    },
  ),
  { maxLength: 80 },
)

/** A table within its unit of work, as a store uses both. */
class Ticking {
  readonly #db: Database = openDatabase(':memory:')
  readonly #unit: UnitOfWork
  readonly #plain = new PlainThings()
  readonly #table: Table<Thing>
  #ticks = 0

  constructor(limits: StorageLimits) {
    this.#unit = new UnitOfWork(limits)
    this.#db.exec(schema)
    this.#table = new Table(this.#db, this.#unit, spec)
    this.#db.exec('BEGIN; SAVEPOINT tick0')
  }

  insert(count: number): void {
    for (let each = 0; each < count; each++) {
      const seq = this.#table.nextSeq
      const row = { seq, id: idOf(seq), step: 0, note: 'new', name: 'new' }
      this.#table.insert(row)
      this.#plain.rows.push({ ...row })
    }
  }

  change(kind: 'step' | 'rename', which: number): void {
    const plain = this.#plain.rows[which % Math.max(1, this.#plain.rows.length)]
    const row = plain === undefined ? undefined : this.#table.get(plain.seq)
    if (plain === undefined || row === undefined) return
    if (kind === 'step') {
      row.step += 1
      plain.step += 1
      row.note = plain.note = row.step % 2 === 1 ? `step ${row.step}` : null
      this.#table.touch(row, 0)
    } else {
      row.name += 'r'
      plain.name += 'r'
      this.#table.touch(row)
    }
  }

  end(kind: 'flush' | 'commit' | 'fold' | 'assume' | 'rollback' | 'reload'): void {
    if (kind === 'flush') this.#table.flush()
    else if (kind === 'rollback') {
      this.#db.exec(`ROLLBACK TO tick${this.#ticks}`)
      this.#unit.rolledBack()
      this.#plain.rollback()
    } else if (kind === 'reload') {
      this.#db.exec('ROLLBACK')
      this.#unit.reload()
      this.#plain.reload()
      this.#begin()
    } else {
      this.#unit.write()
      if (kind === 'assume') {
        this.#plain.assume()
        this.#ticks += 1
        this.#db.exec(`SAVEPOINT tick${this.#ticks}`)
      } else {
        this.#plain.commit()
        this.#db.exec('COMMIT')
        this.#begin()
      }
      this.#unit.committed(kind === 'fold')
    }
  }

  #begin(): void {
    this.#ticks = 0
    this.#db.exec('BEGIN; SAVEPOINT tick0')
  }

  /** The row with a number is found as the plain table has it, by its number and by its id. */
  compareOne(which: number): void {
    const seq = which % (this.#plain.rows.length + 2)
    const expected = this.#plain.rows.find((row) => row.seq === seq)
    expect(this.#table.get(seq)).to.deep.equal(expected)
    expect(this.#table.locate(idOf(seq))).to.equal(expected?.seq)
    const found = this.#table.get(seq)
    if (found !== undefined) expect(this.#table.get(seq), 'the very same row').to.equal(found)
  }

  /** What another reader finds in the database once all is written. */
  compareAll(): void {
    this.end('commit')
    const stored = this.#db.prepare('SELECT seq, id, step, note, name FROM things ORDER BY seq').lists().map(spec.read)
    expect(stored).to.deep.equal(this.#plain.rows)
    for (const { id, seq } of this.#plain.rows) expect(findByHash(this.#db, 'things', id)).to.equal(seq)
    expect(this.#table.nextSeq).to.equal(this.#plain.rows.length + 1)
    this.#db.close()
  }
}

describe('A table of the views', () => {
  for (const [unindexedKeys, rowsKept] of [
    [storageLimits.unindexedKeys, storageLimits.rowsKept],
    [50, 8],
    [1, 1],
  ] as const)
    it(`holds what a plain list of rows would, with up to ${unindexedKeys} ids and ${rowsKept} rows in memory`, () => {
      fc.assert(
        fc.property(walks, (walk) => {
          const table = new Ticking({ ...storageLimits, unindexedKeys, rowsKept })
          for (const move of walk) {
            if (move.kind === 'insert' && 'count' in move) table.insert(move.count)
            else if ('which' in move && move.kind === 'find') table.compareOne(move.which)
            else if ('which' in move) table.change(move.kind === 'step' ? 'step' : 'rename', move.which)
            else table.end(move.kind)
          }
          table.compareAll()
        }),
        { numRuns: 60 },
      )
    })
})
