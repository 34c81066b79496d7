/**
 * The troubles of flows and what operators did about them, in order: every failed try with when it is tried again, every
 * time one was parked, retried, paused or resumed.
 */
import type { Troubles } from '../../flow/FlowTables.js'
import type { TroubleRow } from '../../flow/TroubleRow.js'
import type { Database, Statement } from '../Database.js'

export const troublesSchema = `
  CREATE TABLE IF NOT EXISTS flow_troubles (
    flow_seq INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    place INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    what TEXT NOT NULL,
    by TEXT,
    error TEXT,
    retry_at TEXT,
    PRIMARY KEY (flow_seq, revision, place)
  ) STRICT, WITHOUT ROWID;
`

export class TroubleTable implements Troubles {
  readonly #insert: Statement

  constructor(db: Database) {
    this.#insert = db.prepare('INSERT INTO flow_troubles VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  }

  insert({ flowSeq, revision, place, atMs, what, by, error, retryAt }: TroubleRow): void {
    this.#insert.run(flowSeq, revision, place, atMs, what, by, error, retryAt)
  }
}
