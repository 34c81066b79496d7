/**
 * What this party has agreed to and is not on the ledger yet: keys that flows have reserved while they collect
 * signatures, and transactions that were signed and whose finality is yet to come.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import { canonicalText } from '../../encoding/canonical.js'
import { decodeWith } from '../../encoding/decode.js'
import { assertInvariant } from '../../errors/CarillonError.js'
import { SignedTransactionC, type SignedTransaction } from '../../ledger/SignedTransaction.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import type { FlowId } from '../../log/FlowId.js'
import type { Proposals, Reservation, TypedKey } from '../../vault/VaultTables.js'
import type { Database, Statement } from '../Database.js'
import type { UnitOfWork } from '../UnitOfWork.js'
import type { FlowTable } from './FlowTable.js'

export const proposalsSchema = `
  CREATE TABLE IF NOT EXISTS reserved_keys (
    type TEXT NOT NULL, key TEXT NOT NULL, flow_seq INTEGER NOT NULL, since_ms INTEGER NOT NULL, PRIMARY KEY (type, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS reserved_keys_of_flow ON reserved_keys (flow_seq);
  CREATE TABLE IF NOT EXISTS signed_transactions (id TEXT PRIMARY KEY, proposal TEXT) STRICT, WITHOUT ROWID;
`

export class ProposalTable implements Proposals {
  readonly #flows: FlowTable
  readonly #reserve: Statement
  readonly #holder: Statement
  readonly #release: Statement
  readonly #anyReserved: Statement
  readonly #sign: Statement
  readonly #signed: Statement
  readonly #settle: Statement
  /** False while no key is reserved: then the end of a flow looks nothing up. */
  #mayHold: boolean

  constructor(db: Database, unit: UnitOfWork, flows: FlowTable) {
    this.#flows = flows
    this.#reserve = db.prepare(
      'INSERT OR REPLACE INTO reserved_keys (type, key, flow_seq, since_ms) VALUES (?, ?, ?, ?)',
    )
    this.#holder = db.prepare('SELECT flow_seq, since_ms FROM reserved_keys WHERE type = ? AND key = ?')
    this.#release = db.prepare('DELETE FROM reserved_keys WHERE flow_seq = ?')
    this.#anyReserved = db.prepare('SELECT 1 AS held FROM reserved_keys LIMIT 1')
    this.#sign = db.prepare('INSERT OR REPLACE INTO signed_transactions (id, proposal) VALUES (?, ?)')
    this.#signed = db.prepare('SELECT proposal FROM signed_transactions WHERE id = ?')
    this.#settle = db.prepare('DELETE FROM signed_transactions WHERE id = ?')
    this.#mayHold = this.#readMayHold()
    unit.join({
      rolledBack: () => {
        this.#mayHold = this.#readMayHold()
      },
    })
  }

  #readMayHold(): boolean {
    return this.#anyReserved.get() !== undefined
  }

  reservation({ type, key }: TypedKey): Reservation | undefined {
    const row = this.#mayHold ? this.#holder.get(type, key) : undefined
    if (row === undefined) return undefined
    return { flow: this.#flows.get(Number(row['flow_seq'])).id, sinceMs: Number(row['since_ms']) }
  }

  reserve({ type, key }: TypedKey, flow: FlowId, atMs: number): void {
    const flowSeq = this.#flows.locate(flow)
    assertInvariant(flowSeq !== undefined, `a key is reserved by the unknown flow ${flow}`)
    this.#mayHold = true
    this.#reserve.run(type, key, flowSeq, atMs)
  }

  releaseOf(flow: FlowId): void {
    const flowSeq = this.#mayHold ? this.#flows.locate(flow) : undefined
    if (flowSeq === undefined) return
    this.#release.run(flowSeq)
    this.#mayHold = this.#readMayHold()
  }

  sign(id: TransactionId, proposal: SignedTransaction | undefined): void {
    this.#sign.run(id, proposal === undefined ? null : canonicalText(proposal))
  }

  isSigned(id: TransactionId): boolean {
    return this.#signed.get(id) !== undefined
  }

  notaryChange(id: TransactionId): SignedTransaction | undefined {
    const text = this.#signed.get(id)?.['proposal']
    if (typeof text !== 'string') return undefined
    const decoded = decodeWith(SignedTransactionC, JSON.parse(text))
    assertInvariant(!isLeft(decoded), `the proposal of the change of notary ${id} cannot be read`)
    return decoded.right
  }

  settle(id: TransactionId): void {
    this.#settle.run(id)
  }
}
