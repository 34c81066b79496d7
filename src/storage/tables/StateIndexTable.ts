/**
 * What states can be found by beyond their type: the values of the fields their definition indexes, and the parties
 * that share them. A state that declares no field and concerns this party alone has no row here and costs nothing.
 */
import { storedValue, type IndexedValues } from '../../ledger/IndexedValue.js'
import type { StateIndex } from '../../vault/VaultTables.js'
import type { UnitOfWork } from '../UnitOfWork.js'
import type { Database, SqlValue, Statement } from '../Database.js'
import type { StateRow } from '../../vault/StateRow.js'

export const stateIndexSchema = `
  CREATE TABLE IF NOT EXISTS indexed_fields (
    id INTEGER PRIMARY KEY, type TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (type, name)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS indexed_values (
    seq INTEGER NOT NULL, field INTEGER NOT NULL, value ANY NOT NULL, unconsumed INTEGER NOT NULL, PRIMARY KEY (seq, field)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS indexed_values_found ON indexed_values (field, unconsumed, value, seq);
  CREATE TABLE IF NOT EXISTS known_parties (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE IF NOT EXISTS state_parties (
    party INTEGER NOT NULL, unconsumed INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (party, unconsumed, seq)
  ) STRICT, WITHOUT ROWID;
`

/** Names given small numbers in the order they were first met. */
class Dictionary {
  readonly #ids = new Map<string, number>()
  readonly #all: Statement
  readonly #insert: Statement
  readonly #keyOf: (row: Readonly<Record<string, SqlValue>>) => string

  constructor(all: Statement, insert: Statement, keyOf: (row: Readonly<Record<string, SqlValue>>) => string) {
    this.#all = all
    this.#insert = insert
    this.#keyOf = keyOf
    this.reload()
  }

  reload(): void {
    this.#ids.clear()
    for (const row of this.#all.all()) this.#ids.set(this.#keyOf(row), Number(row['id']))
  }

  get(key: string): number | undefined {
    return this.#ids.get(key)
  }

  idOf(key: string, ...words: readonly string[]): number {
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    const id = this.#ids.size + 1
    this.#insert.run(id, ...words)
    this.#ids.set(key, id)
    return id
  }
}

type Fresh = {
  readonly seq: number
  readonly values: readonly (readonly [field: number, value: string | number])[]
  readonly parties: readonly number[]
  unconsumed: boolean
}

const fieldKey = (type: string, name: string): string => `${type} ${name}`

export class StateIndexTable implements StateIndex {
  readonly #fields: Dictionary
  readonly #parties: Dictionary
  /** Types of which some state has had an indexed field; all others are never looked up. */
  readonly #typesWithFields = new Set<string>()
  readonly #fresh = new Map<number, Fresh>()
  readonly #allFields: Statement
  readonly #insertValue: Statement
  readonly #insertParty: Statement
  readonly #consumeValues: Statement
  readonly #consumeParty: Statement
  readonly #deleteValues: Statement
  readonly #deleteParty: Statement
  readonly #valuesOf: Statement

  constructor(db: Database, unit: UnitOfWork) {
    this.#allFields = db.prepare('SELECT id, type, name FROM indexed_fields ORDER BY id')
    this.#insertValue = db.prepare('INSERT INTO indexed_values (seq, field, value, unconsumed) VALUES (?, ?, ?, ?)')
    this.#insertParty = db.prepare('INSERT OR IGNORE INTO state_parties (party, unconsumed, seq) VALUES (?, ?, ?)')
    this.#consumeValues = db.prepare('UPDATE indexed_values SET unconsumed = 0 WHERE seq = ?')
    this.#consumeParty = db.prepare(
      'UPDATE state_parties SET unconsumed = 0 WHERE party = ? AND unconsumed = 1 AND seq = ?',
    )
    this.#deleteValues = db.prepare('DELETE FROM indexed_values WHERE seq = ?')
    this.#deleteParty = db.prepare('DELETE FROM state_parties WHERE party = ? AND unconsumed = ? AND seq = ?')
    this.#valuesOf = db.prepare(
      'SELECT f.name, v.value FROM indexed_values v JOIN indexed_fields f ON f.id = v.field WHERE v.seq = ?',
    )
    this.#fields = new Dictionary(
      this.#allFields,
      db.prepare('INSERT INTO indexed_fields (id, type, name) VALUES (?, ?, ?)'),
      (row) => fieldKey(String(row['type']), String(row['name'])),
    )
    this.#parties = new Dictionary(
      db.prepare('SELECT id, key FROM known_parties ORDER BY id'),
      db.prepare('INSERT INTO known_parties (id, key) VALUES (?, ?)'),
      (row) => String(row['key']),
    )
    this.#readTypes()
    unit.join({
      write: () => this.flush(),
      rolledBack: () => {
        this.#fresh.clear()
        this.#fields.reload()
        this.#parties.reload()
        this.#readTypes()
      },
    })
  }

  #readTypes(): void {
    this.#typesWithFields.clear()
    for (const row of this.#allFields.all()) this.#typesWithFields.add(String(row['type']))
  }

  /** The other parties a row is shared with, by number. */
  #othersOf({ participants }: Pick<StateRow, 'participants'>, me: string | null): readonly number[] {
    if (participants === me || participants === '') return []
    const keys = new Set(participants.split(' '))
    return [...keys].filter((key) => key !== me).map((key) => this.#parties.idOf(key, key))
  }

  insert(row: StateRow, indexed: IndexedValues | null, me: string | null): void {
    if (indexed === null && row.participants === me) return
    const { type } = row.kind
    const values = Object.entries(indexed ?? {}).map(([name, value]) => {
      this.#typesWithFields.add(type)
      return [this.#fields.idOf(fieldKey(type, name), type, name), storedValue(value)] as const
    })
    const parties = this.#othersOf(row, me)
    if (values.length + parties.length > 0)
      this.#fresh.set(row.seq, { seq: row.seq, values, parties, unconsumed: row.untilRevision === null })
  }

  consume(row: StateRow, me: string | null): void {
    const hasFields = this.#typesWithFields.has(row.kind.type)
    if (!hasFields && row.participants === me) return
    const fresh = this.#fresh.get(row.seq)
    if (fresh !== undefined) {
      fresh.unconsumed = false
      return
    }
    if (hasFields) this.#consumeValues.run(row.seq)
    for (const party of this.#othersOf(row, me)) this.#consumeParty.run(party, row.seq)
  }

  remove(row: StateRow, me: string | null): void {
    if (this.#fresh.delete(row.seq)) return
    if (this.#typesWithFields.has(row.kind.type)) this.#deleteValues.run(row.seq)
    const unconsumed = row.untilRevision === null ? 1 : 0
    for (const party of this.#othersOf(row, me)) this.#deleteParty.run(party, unconsumed, row.seq)
  }

  valuesOf(row: StateRow): IndexedValues | undefined {
    if (!this.#typesWithFields.has(row.kind.type)) return undefined
    this.flush()
    const values = this.#valuesOf.all(row.seq)
    return values.length === 0
      ? undefined
      : Object.fromEntries(values.map(({ name, value }) => [String(name), value as string | number]))
  }

  flush(): void {
    for (const { seq, values, parties, unconsumed } of this.#fresh.values()) {
      for (const [field, value] of values) this.#insertValue.run(seq, field, value, unconsumed ? 1 : 0)
      for (const party of parties) this.#insertParty.run(party, unconsumed ? 1 : 0, seq)
    }
    this.#fresh.clear()
  }
}
