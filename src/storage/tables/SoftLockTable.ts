/**
 * States that flows have reserved for themselves: no other flow of this node consumes them. A lock ends with its flow, or
 * with the state, which a final transaction of other parties may consume all the same.
 */
import { assertInvariant } from '../../errors/CarillonError.js'
import type { SoftLocks } from '../../vault/VaultTables.js'
import type { FlowId } from '../../log/FlowId.js'
import type { FlowTable } from './FlowTable.js'
import type { UnitOfWork } from '../UnitOfWork.js'
import type { Database, Statement } from '../Database.js'

export const softLocksSchema = `
  CREATE TABLE IF NOT EXISTS soft_locks (state_seq INTEGER PRIMARY KEY, flow_seq INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS soft_locks_of_flow ON soft_locks (flow_seq);
`

export class SoftLockTable implements SoftLocks {
  readonly #flows: FlowTable
  readonly #insert: Statement
  readonly #delete: Statement
  readonly #deleteOfFlow: Statement
  readonly #holder: Statement
  readonly #any: Statement
  /** False while nothing can be locked: then consuming a state and ending a flow look nothing up. */
  #mayHold: boolean

  constructor(db: Database, unit: UnitOfWork, flows: FlowTable) {
    this.#flows = flows
    this.#insert = db.prepare('INSERT INTO soft_locks (state_seq, flow_seq) VALUES (?, ?) ON CONFLICT DO NOTHING')
    this.#delete = db.prepare('DELETE FROM soft_locks WHERE state_seq = ?')
    this.#deleteOfFlow = db.prepare('DELETE FROM soft_locks WHERE flow_seq = ?')
    this.#holder = db.prepare('SELECT flow_seq FROM soft_locks WHERE state_seq = ?')
    this.#any = db.prepare('SELECT 1 AS held FROM soft_locks LIMIT 1')
    this.#mayHold = this.#readMayHold()
    unit.join({
      rolledBack: () => {
        this.#mayHold = this.#readMayHold()
      },
    })
  }

  #readMayHold(): boolean {
    return this.#any.get() !== undefined
  }

  holderOf(stateSeq: number): FlowId | undefined {
    const row = this.#mayHold ? this.#holder.get(stateSeq) : undefined
    return row === undefined ? undefined : this.#flows.get(Number(row['flow_seq'])).id
  }

  lock(stateSeq: number, flow: FlowId): void {
    const flowSeq = this.#flows.locate(flow)
    assertInvariant(flowSeq !== undefined, `a state is locked by the unknown flow ${flow}`)
    this.#mayHold = true
    this.#insert.run(stateSeq, flowSeq)
  }

  unlock(stateSeq: number): void {
    this.#delete.run(stateSeq)
  }

  consume(stateSeq: number): void {
    if (this.#mayHold) this.#delete.run(stateSeq)
  }

  releaseOf(flow: FlowId): void {
    const flowSeq = this.#mayHold ? this.#flows.locate(flow) : undefined
    if (flowSeq === undefined) return
    this.#deleteOfFlow.run(flowSeq)
    this.#mayHold = this.#readMayHold()
  }
}
