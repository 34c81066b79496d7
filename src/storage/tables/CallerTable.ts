/**
 * The tokens that flows were started with. A flow that the local owner started has no row here.
 */
import type { Callers } from '../../flow/FlowTables.js'
import type { Database, Statement } from '../Database.js'

export const callersSchema = `
  CREATE TABLE IF NOT EXISTS flow_callers (flow_seq INTEGER PRIMARY KEY, caller TEXT NOT NULL) STRICT;
`

export class CallerTable implements Callers {
  readonly #insert: Statement

  constructor(db: Database) {
    this.#insert = db.prepare('INSERT INTO flow_callers VALUES (?, ?)')
  }

  insert(flowSeq: number, caller: string): void {
    this.#insert.run(flowSeq, caller)
  }
}
