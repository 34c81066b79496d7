/**
 * The ended flows that an operator has to look at, until one has. They are few, so nothing of them is kept in memory.
 */
import type { FlowAttention } from '../../flow/FlowTables.js'
import type { Database, Statement } from '../Database.js'

export const flowAttentionSchema = `
  CREATE TABLE IF NOT EXISTS flow_attention (flow_seq INTEGER PRIMARY KEY) STRICT;
`

export class FlowAttentionTable implements FlowAttention {
  readonly #insert: Statement
  readonly #delete: Statement
  readonly #find: Statement

  constructor(db: Database) {
    this.#insert = db.prepare('INSERT INTO flow_attention (flow_seq) VALUES (?)')
    this.#delete = db.prepare('DELETE FROM flow_attention WHERE flow_seq = ?')
    this.#find = db.prepare('SELECT 1 AS found FROM flow_attention WHERE flow_seq = ?')
  }

  has(flowSeq: number): boolean {
    return this.#find.get(flowSeq) !== undefined
  }

  add(flowSeq: number): void {
    this.#insert.run(flowSeq)
  }

  remove(flowSeq: number): void {
    this.#delete.run(flowSeq)
  }
}
