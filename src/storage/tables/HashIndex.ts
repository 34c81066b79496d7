/**
 * Finds a row's sequence number by a random id (a transaction's or a flow's). Inserting random keys one by one
 * is what makes a B-tree slower as it grows, so new keys first gather in memory and are merged in one sorted
 * sweep. Rows are keyed by log order; after a restart the unmerged tail is read back from them.
 */
import type { UnitOfWork } from '../UnitOfWork.js'
import { BulkInsert } from './BulkInsert.js'
import type { Database, Statement } from '../Database.js'

const prefixBits = 48

/** The first 48 bits of an id, which a number holds exactly. Equal prefixes are told apart by the full id. */
const prefixOf = (id: string): number => Number.parseInt(id.slice(0, 12), 16)

export const hashIndexSchema = (table: string): string => `
  CREATE TABLE IF NOT EXISTS ${table}_keys (prefix INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (prefix, seq)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS ${table}_keys_until (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL) STRICT;
`

/** Finds the sequence number of an id: a running node has an index in memory, other readers ask the tables. */
export type Locate = (id: string) => number | undefined

/** Looks an id up through a plain connection, as readers in another process do. */
export const findByHash = (db: Database, table: string, id: string): number | undefined => {
  const indexed = db
    .prepare(
      `SELECT t.seq AS seq FROM ${table}_keys k JOIN ${table} t ON t.seq = k.seq WHERE k.prefix = ? AND t.id = ?`,
    )
    .get(prefixOf(id), id)
  const found =
    indexed ??
    db
      .prepare(`SELECT seq FROM ${table} WHERE seq > coalesce((SELECT seq FROM ${table}_keys_until), -1) AND id = ?`)
      .get(id)
  return found === undefined ? undefined : Number(found['seq'])
}

export class HashIndex {
  #tail = new Map<string, number>()
  #added: string[] = []
  #merged = false
  readonly #unindexedKeys: number
  readonly #find: Statement
  readonly #insert: BulkInsert
  readonly #until: Statement
  readonly #setUntil: Statement
  readonly #unmerged: Statement

  constructor(db: Database, unit: UnitOfWork, table: string) {
    this.#unindexedKeys = unit.limits.unindexedKeys
    this.#find = db.prepare(
      `SELECT t.seq AS seq FROM ${table}_keys k JOIN ${table} t ON t.seq = k.seq WHERE k.prefix = ? AND t.id = ?`,
    )
    this.#insert = new BulkInsert(db, `${table}_keys`, ['prefix', 'seq'])
    this.#until = db.prepare(`SELECT seq FROM ${table}_keys_until`)
    this.#setUntil = db.prepare(
      `INSERT INTO ${table}_keys_until (one, seq) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET seq = excluded.seq`,
    )
    this.#unmerged = db.prepare(`SELECT seq, id FROM ${table} WHERE seq > ?`)
    this.#readTail()
    unit.join({
      write: () => this.#merge(),
      committed: () => {
        if (this.#merged) this.#tail = new Map()
        this.#merged = false
        this.#added = []
      },
      rolledBack: () => {
        for (const id of this.#added) this.#tail.delete(id)
        this.#insert.clear()
        this.#merged = false
        this.#added = []
      },
      reload: () => this.#readTail(),
    })
  }

  /** Reads which keys are not merged yet. */
  #readTail(): void {
    this.#tail = new Map()
    const until = this.#until.get()?.['seq'] ?? -1
    for (const row of this.#unmerged.iterate(until)) this.#tail.set(String(row['id']), Number(row['seq']))
  }

  add(id: string, seq: number): void {
    this.#tail.set(id, seq)
    this.#added.push(id)
  }

  find(id: string): number | undefined {
    const recent = this.#tail.get(id)
    if (recent !== undefined) return recent
    const row = this.#find.get(prefixOf(id), id)
    return row === undefined ? undefined : Number(row['seq'])
  }

  #merge(): void {
    if (this.#tail.size < this.#unindexedKeys) return
    const prefixes: number[] = []
    const seqs: number[] = []
    let last = -1
    for (const [id, seq] of this.#tail) {
      prefixes.push(prefixOf(id))
      seqs.push(seq)
      if (seq > last) last = seq
    }
    // Sorted as plain numbers, the place in the list in the lowest digits: far quicker than with a comparison. The
    // digits of the prefix that this cuts off are not missed, for the order is only there to spare the disk.
    const places = Math.ceil(Math.log2(prefixes.length + 1))
    const cut = 2 ** Math.max(0, prefixBits + places - 53)
    const placeBits = 2 ** places
    const order = Float64Array.from(prefixes, (prefix, place) => Math.floor(prefix / cut) * placeBits + place).sort()
    for (const entry of order) {
      const place = entry % placeBits
      this.#insert.next().push(prefixes[place] ?? 0, seqs[place] ?? 0)
    }
    this.#insert.flush()
    this.#setUntil.run(last)
    this.#merged = true
  }
}
