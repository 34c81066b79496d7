/**
 * The transactions of the vault, in log order: where each stands in the log and where its outputs begin.
 */
import type { PublicKey } from '../../identity/PublicKey.js'
import { limits } from '../../limits.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import { BulkInsert } from './BulkInsert.js'
import type { TransactionRow } from '../../vault/TransactionRow.js'
import type { Transactions } from '../../vault/VaultTables.js'
import type { Database, Statement } from '../Database.js'
import { HashIndex, hashIndexSchema } from './HashIndex.js'
import { RecentRows } from './RecentRows.js'

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
  ${hashIndexSchema('transactions')}
`

export class TransactionTable implements Transactions {
  readonly #index: HashIndex
  readonly #rows = new Map<number, TransactionRow>()
  readonly #recent = new RecentRows(this.#rows)
  readonly #fresh: TransactionRow[] = []
  #nextSeq: number
  readonly #insert: BulkInsert
  readonly #bySeq: Statement
  readonly #lastSeq: Statement

  constructor(db: Database) {
    this.#insert = new BulkInsert(db, 'transactions', [
      'seq',
      'id',
      'revision',
      'tick',
      'at_ms',
      'first_state',
      'outputs',
      'notary',
    ])
    this.#bySeq = db.prepare(
      'SELECT seq, id, revision, tick, at_ms, first_state, outputs, notary FROM transactions WHERE seq = ?',
    )
    this.#lastSeq = db.prepare('SELECT max(seq) AS seq FROM transactions')
    this.#index = new HashIndex(db, 'transactions')
    this.#nextSeq = this.#readNextSeq()
  }

  #readNextSeq(): number {
    return Number(this.#lastSeq.get()?.['seq'] ?? 0) + 1
  }

  /** The number the next transaction will get. */
  get nextSeq(): number {
    return this.#nextSeq
  }

  /** Adds a row; its number must be {@link nextSeq}. */
  insert(row: TransactionRow): void {
    this.#nextSeq += 1
    this.#rows.set(row.seq, row)
    this.#fresh.push(row)
    this.#index.add(row.id, row.seq)
  }

  /** The sequence number of a transaction. */
  readonly locate = (id: string): number | undefined => this.#index.find(id)

  find(id: TransactionId): TransactionRow | undefined {
    const seq = this.#index.find(id)
    return seq === undefined ? undefined : this.get(seq)
  }

  get(seq: number): TransactionRow | undefined {
    const known = this.#rows.get(seq)
    if (known !== undefined) return known
    const row = this.#bySeq.get(seq)
    if (row === undefined) return undefined
    const read: TransactionRow = {
      seq,
      id: String(row['id']) as TransactionId,
      revision: Number(row['revision']),
      tick: Number(row['tick']),
      atMs: Number(row['at_ms']),
      firstState: Number(row['first_state']),
      outputs: Number(row['outputs']),
      notary: typeof row['notary'] === 'string' ? (row['notary'] as PublicKey) : null,
    }
    this.#rows.set(seq, read)
    return read
  }

  flush(): void {
    for (const row of this.#fresh)
      this.#insert
        .next()
        .push(row.seq, row.id, row.revision, row.tick, row.atMs, row.firstState, row.outputs, row.notary)
    this.#insert.flush()
    this.#fresh.length = 0
  }

  /** The last write of a tick, inside its transaction. */
  closeTick(): void {
    this.flush()
    this.#index.closeTick()
  }

  committed(): void {
    if (this.#rows.size > limits.rowsKept) this.#rows.clear()
    this.#index.committed()
  }

  /** After a part of a log was folded: what came with it stays for the next part, what came before goes. */
  committedFold(): void {
    this.#recent.turn()
    this.#index.committed()
  }

  rolledBack(): void {
    this.#rows.clear()
    this.#fresh.length = 0
    this.#insert.clear()
    this.#index.rolledBack()
    this.#nextSeq = this.#readNextSeq()
  }

  /** After ticks that were taken to stand do not. */
  reload(): void {
    this.#index.reload()
  }
}
