/**
 * The transactions of the vault, in log order: where each stands in the log and where its outputs begin.
 */
import type { PublicKey } from '../../identity/PublicKey.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import type { TransactionRow } from '../../vault/TransactionRow.js'
import type { Transactions } from '../../vault/VaultTables.js'
import type { Database, SqlValue, Statement } from '../Database.js'
import type { UnitOfWork } from '../UnitOfWork.js'
import { hashIndexSchema } from './HashIndex.js'
import { Table, type TableSpec } from './Table.js'

export const transactionsSchema = `
  CREATE TABLE IF NOT EXISTS transactions (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    tick INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    first_state INTEGER NOT NULL,
    outputs INTEGER NOT NULL,
    notary TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS ancestors (transaction_seq INTEGER PRIMARY KEY) STRICT;
  ${hashIndexSchema('transactions')}
`

const rowOf = (values: readonly SqlValue[]): TransactionRow => {
  const [seq, id, revision, tick, atMs, firstState, outputs, notary] = values
  return {
    seq: Number(seq),
    id: String(id) as TransactionId,
    revision: Number(revision),
    tick: Number(tick),
    atMs: Number(atMs),
    firstState: Number(firstState),
    outputs: Number(outputs),
    notary: typeof notary === 'string' ? (notary as PublicKey) : null,
  }
}

const spec: TableSpec<TransactionRow> = {
  name: 'transactions',
  columns: ['seq', 'id', 'revision', 'tick', 'at_ms', 'first_state', 'outputs', 'notary'],
  values: (row) => [row.seq, row.id, row.revision, row.tick, row.atMs, row.firstState, row.outputs, row.notary],
  changes: [],
  select: 'SELECT seq, id, revision, tick, at_ms, first_state, outputs, notary FROM transactions s',
  read: rowOf,
  idOf: (row) => row.id,
}

export class TransactionTable implements Transactions {
  readonly #table: Table<TransactionRow>
  readonly #markAncestor: Statement
  readonly #unmarkAncestor: Statement
  readonly #isAncestor: Statement

  constructor(db: Database, unit: UnitOfWork) {
    this.#table = new Table(db, unit, spec)
    this.#markAncestor = db.prepare('INSERT OR IGNORE INTO ancestors (transaction_seq) VALUES (?)')
    this.#unmarkAncestor = db.prepare('DELETE FROM ancestors WHERE transaction_seq = ?')
    this.#isAncestor = db.prepare('SELECT 1 AS found FROM ancestors WHERE transaction_seq = ?')
  }

  isAncestor(seq: number): boolean {
    return this.#isAncestor.get(seq) !== undefined
  }

  markAncestor(seq: number, isAncestor: boolean): void {
    if (isAncestor) this.#markAncestor.run(seq)
    else this.#unmarkAncestor.run(seq)
  }

  get nextSeq(): number {
    return this.#table.nextSeq
  }

  insert(row: TransactionRow): void {
    this.#table.insert(row)
  }

  readonly locate = (id: string): number | undefined => this.#table.locate(id)

  find(id: TransactionId): TransactionRow | undefined {
    const seq = this.#table.locate(id)
    return seq === undefined ? undefined : this.#table.get(seq)
  }

  get(seq: number): TransactionRow | undefined {
    return this.#table.get(seq)
  }

  flush(): void {
    this.#table.flush()
  }
}
