/**
 * Questions about activities and occurrences from outside a tick.
 */
import type { RecordedError } from '../errors/CarillonError.js'
import { flowsOfState } from '../flow/readFlows.js'
import type { FlowId } from '../flow/FlowId.js'
import type { Activity } from '../ledger/Activity.js'
import type { StateRef } from '../ledger/StateRef.js'
import { instantFromMillis, type Instant } from '../time/Instant.js'
import { Kinds } from '../vault/Kinds.js'
import { pageSize, type Page } from '../vault/query/VaultQuery.js'
import { pageOf } from '../vault/readVault.js'
import type { Standing, StateRow } from '../vault/StateRow.js'
import { stateColumns, stateRowOf } from '../vault/StateTable.js'
import type { Database } from '../views/Database.js'
import type { UnstartedOutcome } from './UnstartedTable.js'

/** An activity as the agenda shows it. */
export type AgendaEntry = {
  readonly ref: StateRef
  readonly type: string
  readonly standing: Standing
  /** When the state asked for it. */
  readonly due?: Instant
  /** When this node will act, where that is not the due instant. */
  readonly actsAt?: Instant
  readonly flow?: string
  readonly attempts: number
  readonly error?: RecordedError
  readonly note?: string
}

/** Which activities to list. */
export type AgendaQuery = {
  /** Default `scheduled`: what is to come. `attention` are those that wait for a hand. */
  readonly show?: 'scheduled' | 'attention' | 'paused' | 'started'
  /** At most so many; default 100. */
  readonly limit?: number
  /** How many to skip; the answer's `next`. */
  readonly after?: number
}

/** An attempt at an occurrence, with its outcome; `running` until it has one. */
export type Attempt = {
  readonly due?: Instant
  readonly attempt: number
  readonly at: Instant
  readonly latenessMs: number
  readonly outcome: 'running' | 'parked-flow' | 'completed' | 'failed' | 'killed' | 'superseded' | UnstartedOutcome
  readonly flow?: FlowId
  readonly flowName?: string
  readonly cause?: string
  readonly error?: RecordedError
  readonly by?: string
}

/** A row as the agenda shows it. */
export const agendaEntryOf = (row: StateRow): AgendaEntry => ({
  ref: row.ref,
  type: row.kind.type,
  standing: row.standing ?? 'closed',
  ...(row.dueMs === null ? {} : { due: instantFromMillis(row.dueMs) }),
  ...(row.actsAtMs === null || row.actsAtMs === row.dueMs ? {} : { actsAt: instantFromMillis(row.actsAtMs) }),
  ...(row.activity === null ? {} : { flow: (JSON.parse(row.activity) as Activity).flow.name }),
  attempts: row.attempt,
  ...(row.error === null ? {} : { error: JSON.parse(row.error) as RecordedError }),
  ...(row.note === null ? {} : { note: row.note }),
})

const conditions = {
  scheduled: 's.acts_at_ms IS NOT NULL ORDER BY s.acts_at_ms, s.seq',
  attention: "s.standing IN ('parked', 'missed') ORDER BY s.standing, s.seq",
  paused: "s.standing = 'paused' ORDER BY s.seq",
  started: "s.standing = 'started' AND s.until_revision IS NULL ORDER BY s.seq",
} as const

export const readAgenda = (db: Database, query: AgendaQuery = {}): Page<AgendaEntry> => {
  const size = pageSize(query.limit)
  const skip = query.after ?? 0
  const kinds = new Kinds(db)
  const rows = db
    .prepare(
      `SELECT ${stateColumns} FROM states s JOIN transactions t ON t.seq = s.transaction_seq WHERE ${conditions[query.show ?? 'scheduled']} LIMIT ? OFFSET ?`,
    )
    .all(size + 1, skip)
    .map((row) => stateRowOf(row, kinds))
  const page = pageOf(rows, size, agendaEntryOf, () => 0)
  return { items: page.items, next: page.next === undefined ? undefined : skip + size }
}

/** How many activities stand how. */
export const countAgenda = (
  db: Database,
): { readonly scheduled: number; readonly parked: number; readonly missed: number; readonly paused: number } => {
  const standing = new Map(
    db
      .prepare(
        "SELECT standing, count(*) AS n FROM states WHERE standing IN ('ended', 'parked', 'missed', 'paused') GROUP BY standing",
      )
      .all()
      .map((row) => [String(row['standing']), Number(row['n'])]),
  )
  const scheduled = Number(
    db.prepare('SELECT count(*) AS n FROM states WHERE acts_at_ms IS NOT NULL').get()?.['n'] ?? 0,
  )
  return {
    scheduled,
    parked: standing.get('parked') ?? 0,
    missed: standing.get('missed') ?? 0,
    paused: standing.get('paused') ?? 0,
  }
}

type Placed = { readonly attempt: Attempt; readonly revision: number }

/** Every attempt at a state's activity, in order. */
export const attemptsOf = (db: Database, stateSeq: number): readonly Attempt[] => {
  // By revision and not by time, since the clock may have been set back between two attempts.
  const revisions = new Map(
    db
      .prepare('SELECT id, from_revision FROM flows WHERE state_seq = ?')
      .all(stateSeq)
      .map((row) => [String(row['id']), Number(row['from_revision'])]),
  )
  const started = flowsOfState(db, stateSeq).map((flow): Placed => {
    const by = flow.startedBy
    const outcome =
      flow.status === 'running' || flow.status === 'paused'
        ? 'running'
        : flow.status === 'parked'
          ? 'parked-flow'
          : flow.status
    const attempt: Attempt = {
      ...(by.kind === 'activity' ? { due: by.due, cause: by.cause } : {}),
      attempt: by.kind === 'activity' ? by.attempt : 1,
      latenessMs: by.kind === 'activity' ? by.latenessMs : 0,
      at: flow.startedAt,
      outcome,
      flow: flow.id,
      flowName: flow.name,
      ...(flow.error === undefined ? {} : { error: flow.error }),
    }
    return { attempt, revision: revisions.get(flow.id) ?? 0 }
  })
  const unstarted = db
    .prepare(
      'SELECT revision, due_ms, attempt, outcome, lateness_ms, at_ms, error, by_whom FROM unstarted WHERE state_seq = ? ORDER BY revision',
    )
    .all(stateSeq)
    .map((row): Placed => ({
      revision: Number(row['revision']),
      attempt: {
        ...(typeof row['due_ms'] === 'number' ? { due: instantFromMillis(row['due_ms']) } : {}),
        attempt: Number(row['attempt']),
        latenessMs: Number(row['lateness_ms']),
        at: instantFromMillis(Number(row['at_ms'])),
        outcome: String(row['outcome']) as UnstartedOutcome,
        ...(typeof row['error'] === 'string' ? { error: JSON.parse(row['error']) as RecordedError } : {}),
        ...(typeof row['by_whom'] === 'string' ? { by: row['by_whom'] } : {}),
      },
    }))
  return [...started, ...unstarted].sort((a, b) => a.revision - b.revision).map(({ attempt }) => attempt)
}
