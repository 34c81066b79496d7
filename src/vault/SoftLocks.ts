/**
 * States that flows have reserved for themselves, so that other flows choose others. A lock is soft: it keeps nobody
 * from consuming the state who insists, another party least of all. It ends with its flow, or with the state.
 */
import { assertInvariant } from '../errors/CarillonError.js'
import type { FlowId } from '../log/FlowId.js'
import type { FlowTable } from '../flow/FlowTable.js'
import type { EventOf } from '../log/events.js'
import type { Database, Statement } from '../storage/Database.js'
import type { StateTable } from './StateTable.js'

export const softLocksSchema = `
  CREATE TABLE IF NOT EXISTS soft_locks (state_seq INTEGER PRIMARY KEY, flow_seq INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS soft_locks_of_flow ON soft_locks (flow_seq);
`

export class SoftLocks {
  readonly #insert: Statement
  readonly #delete: Statement
  readonly #deleteOfFlow: Statement
  readonly #holder: Statement
  readonly #any: Statement
  /** False while nothing can be locked: then consuming a state and ending a flow look nothing up. */
  #mayHold: boolean

  constructor(db: Database) {
    this.#insert = db.prepare('INSERT INTO soft_locks (state_seq, flow_seq) VALUES (?, ?) ON CONFLICT DO NOTHING')
    this.#delete = db.prepare('DELETE FROM soft_locks WHERE state_seq = ?')
    this.#deleteOfFlow = db.prepare('DELETE FROM soft_locks WHERE flow_seq = ?')
    this.#holder = db.prepare('SELECT flow_seq FROM soft_locks WHERE state_seq = ?')
    this.#any = db.prepare('SELECT 1 AS held FROM soft_locks LIMIT 1')
    this.#mayHold = this.#readMayHold()
  }

  #readMayHold(): boolean {
    return this.#any.get() !== undefined
  }

  /** The flow that has reserved a state, by sequence number. */
  holderOf(stateSeq: number): number | undefined {
    const row = this.#mayHold ? this.#holder.get(stateSeq) : undefined
    return row === undefined ? undefined : Number(row['flow_seq'])
  }

  lock(stateSeq: number, flowSeq: number): void {
    this.#mayHold = true
    this.#insert.run(stateSeq, flowSeq)
  }

  unlock(stateSeq: number): void {
    this.#delete.run(stateSeq)
  }

  /** To be called for every state that is consumed. */
  consume(stateSeq: number): void {
    if (this.#mayHold) this.#delete.run(stateSeq)
  }

  /** To be called for every flow that ends. */
  releaseOf(flowSeq: number): void {
    if (!this.#mayHold) return
    this.#deleteOfFlow.run(flowSeq)
    this.#mayHold = this.#readMayHold()
  }

  rolledBack(): void {
    this.#mayHold = this.#readMayHold()
  }
}

export const foldLocks = (
  tables: { readonly states: StateTable; readonly flows: FlowTable; readonly softLocks: SoftLocks },
  event: EventOf<'StatesLocked'> | EventOf<'StatesUnlocked'>,
): void => {
  const flow = tables.flows.find(event.flow as FlowId)
  assertInvariant(flow !== undefined, `${event.type} names the unknown flow ${event.flow}`)
  for (const ref of event.refs) {
    const state = tables.states.find(ref)
    assertInvariant(state !== undefined, `${event.type} names the unknown state ${ref.transaction}:${ref.index}`)
    if (event.type === 'StatesLocked') tables.softLocks.lock(state.seq, flow.seq)
    else tables.softLocks.unlock(state.seq)
  }
}
