/**
 * What was said about states before they were reassessed, and until which revision that held: so that the vault of the
 * past can be asked for by a query. There is a row only for a state about which the app has changed its mind.
 */
import type { PastAssessments } from '../../vault/VaultTables.js'
import type { Database, Statement } from '../Database.js'
import type { StateRow } from '../../vault/StateRow.js'

export const pastAssessmentsSchema = `
  CREATE TABLE IF NOT EXISTS past_assessments (
    state_seq INTEGER NOT NULL, until_revision INTEGER NOT NULL, relevant INTEGER NOT NULL, key TEXT,
    PRIMARY KEY (state_seq, until_revision)
  ) STRICT, WITHOUT ROWID;
`

/** Begins a question about the past; the revision is its first value. */
export const withMoment = 'WITH moment (revision) AS (SELECT ?)'

/** The revision a question is about. */
export const thatMoment = '(SELECT revision FROM moment)'

/** SQL for a column of `states s` as it was at that moment: the first thing that was said about it and held longer. */
export const assessedThen = (column: 'relevant' | 'key'): string => {
  const later = `FROM past_assessments p WHERE p.state_seq = s.seq AND p.until_revision > ${thatMoment}`
  return `CASE WHEN EXISTS (SELECT 1 ${later}) THEN (SELECT p.${column} ${later} ORDER BY p.until_revision LIMIT 1) ELSE s.${column} END`
}

export class PastAssessmentTable implements PastAssessments {
  readonly #insert: Statement

  constructor(db: Database) {
    this.#insert = db.prepare(
      'INSERT INTO past_assessments (state_seq, until_revision, relevant, key) VALUES (?, ?, ?, ?)',
    )
  }

  insert(row: StateRow, untilRevision: number): void {
    this.#insert.run(row.seq, untilRevision, row.relevant ? 1 : 0, row.key)
  }
}
