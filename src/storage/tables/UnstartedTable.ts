/**
 * Attempts that started no flow: missed, failed to start, parked, dismissed. Attempts that did start one are
 * rows of the flows; together they are the occurrences.
 */
import type { Unstarted } from '../../agenda/AgendaTables.js'
import type { UnstartedRow } from '../../agenda/UnstartedRow.js'
import type { Database, Statement } from '../Database.js'

export const unstartedSchema = `
  CREATE TABLE IF NOT EXISTS unstarted (
    revision INTEGER PRIMARY KEY,
    state_seq INTEGER NOT NULL,
    due_ms INTEGER,
    attempt INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    lateness_ms INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    error TEXT,
    by_whom TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS unstarted_of_state ON unstarted (state_seq);
`

export class UnstartedTable implements Unstarted {
  readonly #insert: Statement
  readonly #lastAttempt: Statement

  constructor(db: Database) {
    this.#insert = db.prepare(
      'INSERT INTO unstarted (revision, state_seq, due_ms, attempt, outcome, lateness_ms, at_ms, error, by_whom) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    )
    this.#lastAttempt = db.prepare('SELECT max(attempt) AS attempt FROM unstarted WHERE state_seq = ? AND due_ms = ?')
  }

  lastAttempt(stateSeq: number, dueMs: number): number {
    return Number(this.#lastAttempt.get(stateSeq, dueMs)?.['attempt'] ?? 0)
  }

  insert(row: UnstartedRow): void {
    this.#insert.run(
      row.revision,
      row.stateSeq,
      row.dueMs,
      row.attempt,
      row.outcome,
      row.latenessMs,
      row.atMs,
      row.error,
      row.by,
    )
  }
}
