/**
 * Occurrences across all states, newest first: what started a flow and what came to its outcome without one, merged by
 * where each stands in the log.
 */
import type { RecordedError } from '../../errors/CarillonError.js'
import type { FlowId } from '../../log/FlowId.js'
import type { FlowStatus } from '../../flow/FlowRow.js'
import type { StateRef } from '../../ledger/StateRef.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import type { Attempt } from '../../agenda/AgendaEntry.js'
import type { UnstartedOutcome } from '../../agenda/UnstartedRow.js'
import { instantFromMillis } from '../../time/Instant.js'
import { pageSize, type Page } from '../../vault/query/VaultQuery.js'
import { pageOf } from './pageOf.js'
import type { Database, SqlRow, SqlValue } from '../Database.js'

export type Occurrence = Attempt & { readonly ref: StateRef; readonly type: string; readonly revision: number }

export type OccurrenceQuery = { readonly limit?: number; readonly after?: number }

const place =
  'JOIN states s ON s.seq = o.state_seq JOIN transactions t ON t.seq = s.transaction_seq JOIN kinds k ON k.id = s.kind'
const columns = 'o.*, s.output_index AS output_index, t.id AS transaction_id, k.type AS type'

const placed = (row: SqlRow): Pick<Occurrence, 'ref' | 'type'> => ({
  ref: { transaction: String(row['transaction_id']) as TransactionId, index: Number(row['output_index']) },
  type: String(row['type']),
})

const errorOf = (row: SqlRow): { readonly error?: RecordedError } =>
  typeof row['error'] === 'string' ? { error: JSON.parse(row['error']) as RecordedError } : {}

const outcomeOf = (status: FlowStatus): Attempt['outcome'] => {
  switch (status) {
    case 'running':
    case 'paused':
      return 'running'
    case 'parked':
      return 'parked-flow'
    case 'continued':
      // No flow that an activity has started continues as another.
      return 'running'
    default:
      return status
  }
}

const ofFlow = (row: SqlRow): Occurrence => ({
  ...placed(row),
  revision: Number(row['from_revision']),
  due: instantFromMillis(Number(row['due_ms'])),
  attempt: Number(row['attempt']),
  latenessMs: Number(row['lateness_ms']),
  at: instantFromMillis(Number(row['started_ms'])),
  outcome: outcomeOf(String(row['status']) as FlowStatus),
  flow: String(row['id']) as FlowId,
  flowName: String(row['name']),
  cause: String(row['cause']),
  ...errorOf(row),
})

const ofUnstarted = (row: SqlRow): Occurrence => ({
  ...placed(row),
  revision: Number(row['revision']),
  ...(typeof row['due_ms'] === 'number' ? { due: instantFromMillis(row['due_ms']) } : {}),
  attempt: Number(row['attempt']),
  latenessMs: Number(row['lateness_ms']),
  at: instantFromMillis(Number(row['at_ms'])),
  outcome: String(row['outcome']) as UnstartedOutcome,
  ...errorOf(row),
  ...(typeof row['by_whom'] === 'string' ? { by: row['by_whom'] } : {}),
})

/** Both kinds that fulfil a condition, newest first, so many of each. */
const newest = (
  db: Database,
  conditions: { readonly flows: string; readonly unstarted: string },
  ...values: readonly SqlValue[]
): readonly Occurrence[] => {
  const started = db
    .prepare(`SELECT ${columns} FROM flows o ${place} WHERE ${conditions.flows} ORDER BY o.seq DESC LIMIT ?`)
    .all(...values)
  const unstarted = db
    .prepare(
      `SELECT ${columns} FROM unstarted o ${place} WHERE ${conditions.unstarted} ORDER BY o.revision DESC LIMIT ?`,
    )
    .all(...values)
  // By revision and not by time, since the clock may have been set back between two attempts.
  return [...started.map(ofFlow), ...unstarted.map(ofUnstarted)].sort((a, b) => b.revision - a.revision)
}

export const readOccurrences = (db: Database, { limit, after }: OccurrenceQuery): Page<Occurrence> => {
  const size = pageSize(limit)
  const conditions = { flows: 'o.state_seq IS NOT NULL AND o.from_revision < ?', unstarted: 'o.revision < ?' }
  return pageOf(
    newest(db, conditions, after ?? Number.MAX_SAFE_INTEGER, size + 1),
    size,
    (occurrence) => occurrence,
    ({ revision }) => revision,
  )
}

/** Every attempt at a state's activity, in order. */
export const attemptsOf = (db: Database, stateSeq: number): readonly Attempt[] => {
  const ofState = 'o.state_seq = ?'
  // There is no bound on a state's attempts; SQLite reads a negative limit as none.
  return newest(db, { flows: ofState, unstarted: ofState }, stateSeq, -1)
    .toReversed()
    .map(({ ref: _ref, type: _type, revision: _revision, ...attempt }) => attempt)
}
