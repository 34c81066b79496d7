/**
 * The kinds of state this vault has met, each stored once and referred to by a small number.
 */
import type { UnitOfWork } from '../UnitOfWork.js'
import type { Database, Statement } from '../Database.js'
import type { StateTypes } from '../../vault/VaultTables.js'
import type { Kind } from '../../vault/StateRow.js'

export const kindsSchema = `
  CREATE TABLE IF NOT EXISTS kinds (
    id INTEGER PRIMARY KEY, type TEXT NOT NULL, version INTEGER NOT NULL, contract TEXT NOT NULL, contract_version INTEGER NOT NULL
  ) STRICT;
`

const keyOf = (kind: Omit<Kind, 'id'>): string =>
  `${kind.type} ${kind.version} ${kind.contract.name} ${kind.contract.version}`

const isSame = (one: Omit<Kind, 'id'>, other: Omit<Kind, 'id'>): boolean =>
  one.type === other.type &&
  one.version === other.version &&
  one.contract.name === other.contract.name &&
  one.contract.version === other.contract.version

export class StateTypeTable implements StateTypes {
  readonly #byKey = new Map<string, Kind>()
  readonly #byId = new Map<number, Kind>()
  #last: Kind | undefined
  readonly #all: Statement
  readonly #insert: Statement

  /** Without a unit of work it is only read. */
  constructor(db: Database, unit?: UnitOfWork) {
    this.#all = db.prepare('SELECT id, type, version, contract, contract_version FROM kinds ORDER BY id')
    this.#insert = db.prepare(
      'INSERT INTO kinds (id, type, version, contract, contract_version) VALUES (?, ?, ?, ?, ?)',
    )
    this.#read()
    unit?.join({ rolledBack: () => this.#read() })
  }

  #read(): void {
    this.#byKey.clear()
    this.#byId.clear()
    this.#last = undefined
    for (const row of this.#all.all()) {
      this.#remember({
        id: Number(row['id']),
        type: String(row['type']),
        version: Number(row['version']),
        contract: { name: String(row['contract']), version: Number(row['contract_version']) },
      })
    }
  }

  #remember(kind: Kind): Kind {
    this.#byKey.set(keyOf(kind), kind)
    this.#byId.set(kind.id, kind)
    return kind
  }

  of(kind: Omit<Kind, 'id'>): Kind {
    // States of one kind mostly come one after another, and putting a key together costs more than comparing.
    const last = this.#last
    if (last !== undefined && isSame(last, kind)) return last
    const found = this.#byKey.get(keyOf(kind)) ?? this.#add(kind)
    this.#last = found
    return found
  }

  #add(kind: Omit<Kind, 'id'>): Kind {
    const added = { ...kind, id: this.#byId.size + 1 }
    this.#insert.run(added.id, added.type, added.version, added.contract.name, added.contract.version)
    return this.#remember(added)
  }

  withId(id: number): Kind | undefined {
    return this.#byId.get(id)
  }

  ids(): readonly number[] {
    return [...this.#byId.keys()]
  }

  idsOfType(type: string): readonly number[] {
    return [...this.#byId.values()].filter((kind) => kind.type === type).map(({ id }) => id)
  }
}
