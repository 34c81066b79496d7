/**
 * What a notary has seen consumed, and by which transaction.
 */
import type { StateRef } from '../../ledger/StateRef.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import type { Spent } from '../../notary/NotaryTables.js'
import type { Database } from '../Database.js'
import type { UnitOfWork } from '../UnitOfWork.js'
import { hashIndexSchema } from './HashIndex.js'
import { Table, type TableSpec } from './Table.js'

export const spentSchema = `
  CREATE TABLE IF NOT EXISTS notarised (seq INTEGER PRIMARY KEY, id TEXT NOT NULL, revision INTEGER NOT NULL, caller TEXT NOT NULL) STRICT;
  ${hashIndexSchema('notarised')}
  CREATE TABLE IF NOT EXISTS spent (seq INTEGER PRIMARY KEY, id TEXT NOT NULL, by_seq INTEGER NOT NULL) STRICT;
  ${hashIndexSchema('spent')}
`

const keyOf = (ref: StateRef): string => `${ref.transaction}:${ref.index}`

type NotarisedRow = {
  readonly seq: number
  readonly id: TransactionId
  readonly revision: number
  readonly caller: string
}

type SpentRow = {
  readonly seq: number
  readonly id: string
  /** The number of the notarised transaction. */
  readonly bySeq: number
}

const notarisedSpec: TableSpec<NotarisedRow> = {
  name: 'notarised',
  columns: ['seq', 'id', 'revision', 'caller'],
  values: (row) => [row.seq, row.id, row.revision, row.caller],
  changes: [],
  select: 'SELECT seq, id, revision, caller FROM notarised s',
  read: ([seq, id, revision, caller]) => ({
    seq: Number(seq),
    id: String(id) as TransactionId,
    revision: Number(revision),
    caller: String(caller),
  }),
  idOf: (row) => row.id,
}

const spentSpec: TableSpec<SpentRow> = {
  name: 'spent',
  columns: ['seq', 'id', 'by_seq'],
  values: (row) => [row.seq, row.id, row.bySeq],
  changes: [],
  select: 'SELECT seq, id, by_seq FROM spent s',
  read: ([seq, id, bySeq]) => ({ seq: Number(seq), id: String(id), bySeq: Number(bySeq) }),
  idOf: (row) => row.id,
}

export class SpentTable implements Spent {
  readonly #notarised: Table<NotarisedRow>
  readonly #spent: Table<SpentRow>

  constructor(db: Database, unit: UnitOfWork) {
    this.#notarised = new Table(db, unit, notarisedSpec)
    this.#spent = new Table(db, unit, spentSpec)
  }

  isNotarised(id: TransactionId): boolean {
    return this.#notarised.locate(id) !== undefined
  }

  consumerOf(ref: StateRef): TransactionId | undefined {
    // Most nodes are notaries to nobody, and should not pay for looking.
    if (this.#spent.nextSeq === 1) return undefined
    const seq = this.#spent.locate(keyOf(ref))
    const spent = seq === undefined ? undefined : this.#spent.get(seq)
    return spent === undefined ? undefined : this.#notarised.get(spent.bySeq)?.id
  }

  insert(id: TransactionId, inputs: readonly StateRef[], caller: string, revision: number): void {
    const { nextSeq: seq } = this.#notarised
    this.#notarised.insert({ seq, id, revision, caller })
    for (const ref of inputs) this.#spent.insert({ seq: this.#spent.nextSeq, id: keyOf(ref), bySeq: seq })
  }
}
