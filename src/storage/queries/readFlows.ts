/**
 * Questions about flows from outside a tick.
 */
import type { PublicKey } from '../../identity/PublicKey.js'
import type { SessionId } from '../../log/SessionId.js'
import { CarillonError, withoutTrace, type RecordedError } from '../../errors/CarillonError.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import type { RecordedOperation } from '../../log/events.js'
import { instantFromMillis, type Instant } from '../../time/Instant.js'
import { pageSize, queryInvalid, type Page } from '../../vault/query/VaultQuery.js'
import { pageOf } from './pageOf.js'
import type { Database, SqlRow, SqlValue } from '../Database.js'
import { findByHash, type Locate } from '../tables/HashIndex.js'
import type { FlowEnd } from '../../flow/FlowEnd.js'
import { FlowIdC, namedByClient, type FlowId } from '../../log/FlowId.js'
import type { FlowRow, FlowStatus } from '../../flow/FlowRow.js'
import { flowColumns, flowRowOf, flowWidth } from '../tables/FlowTable.js'
import type { TroubleKind } from '../../flow/TroubleRow.js'
import type { SignalRow } from '../../flow/SignalRow.js'
import { keptSignals } from '../tables/SignalTable.js'
import { readWaits, withoutTraces } from '../../flow/waiting.js'
import type { FlowChild, FlowDetails, FlowQuery, FlowSummary, FlowTrouble, KeptSignal } from '../../flow/FlowSummary.js'

const troubleOf = (row: SqlRow): FlowTrouble => ({
  at: instantFromMillis(Number(row['at_ms'])),
  what: String(row['what']) as TroubleKind,
  ...(typeof row['by'] === 'string' ? { by: row['by'] } : {}),
  ...(typeof row['error'] === 'string' ? { error: JSON.parse(row['error']) as RecordedError } : {}),
  ...(typeof row['retry_at'] === 'string' ? { retryAt: row['retry_at'] as Instant } : {}),
})

const signalOf = ({ name, data, by, atMs, id }: SignalRow): KeptSignal => ({
  signal: name,
  data: JSON.parse(data) as unknown,
  by,
  at: instantFromMillis(atMs),
  ...(id === null ? {} : { id }),
})

const select = `
  SELECT ${flowColumns('f')}, s.output_index, t.id, p.id, c.when_parent_ends, b.id, a.caller FROM flows f
  LEFT JOIN states s ON s.seq = f.state_seq LEFT JOIN transactions t ON t.seq = s.transaction_seq
  LEFT JOIN flow_children c ON c.child_seq = f.seq LEFT JOIN flows p ON p.seq = c.started_by_seq
  LEFT JOIN flow_continuations k ON k.flow_seq = f.seq LEFT JOIN flows b ON b.seq = k.from_seq
  LEFT JOIN flow_callers a ON a.flow_seq = f.seq`

const originOf = (values: readonly SqlValue[], row: FlowRow): FlowSummary['startedBy'] => {
  const [index, transaction, parent, whenParentEnds, from, caller] = values.slice(flowWidth)
  if (typeof transaction === 'string') {
    return {
      kind: 'activity',
      ref: { transaction: transaction as TransactionId, index: Number(index) },
      due: instantFromMillis(row.dueMs ?? 0),
      attempt: row.attempt ?? 1,
      latenessMs: row.latenessMs ?? 0,
      cause: row.cause ?? 'due',
    }
  }
  if (typeof from === 'string') return { kind: 'continued', from }
  if (typeof parent === 'string')
    return { kind: 'flow', flow: parent, whenParentEnds: whenParentEnds === 'cancel' ? 'cancel' : 'leave' }
  const by = row.startedBy ?? 'unknown'
  if (row.session !== null) return { kind: 'session', session: row.session as SessionId, party: by as PublicKey }
  return {
    kind: 'client',
    by,
    ...(row.clientId === null ? {} : { clientId: row.clientId }),
    ...(typeof caller === 'string' ? { caller } : {}),
  }
}

const summaryOf = (values: readonly SqlValue[]): FlowSummary => {
  const row = flowRowOf(values)
  return {
    id: row.id,
    name: row.name,
    version: row.version,
    status: row.status,
    startedAt: instantFromMillis(row.startedMs),
    ...(row.endedMs === null ? {} : { endedAt: instantFromMillis(row.endedMs) }),
    ...(row.progress === null ? {} : { progress: row.progress }),
    ...(row.waiting === null ? {} : { waiting: readWaits(row.waiting) }),
    ...(row.result === null
      ? {}
      : { [row.status === 'refused' ? 'refusal' : 'result']: JSON.parse(row.result) as unknown }),
    ...(row.error === null ? {} : { error: JSON.parse(row.error) as RecordedError }),
    startedBy: originOf(values, row),
  }
}

/** The flows that need an operator: both halves are found by an index. */
const flowsInAttention =
  "SELECT seq FROM flows WHERE until_revision IS NULL AND status = 'parked' UNION ALL SELECT flow_seq FROM flow_attention"

/** In a list an error is told in a line. */
const listedOf = (values: readonly SqlValue[]): FlowSummary => {
  const { error, waiting, ...summary } = summaryOf(values)
  return {
    ...summary,
    ...(waiting === undefined ? {} : { waiting: withoutTraces(waiting) }),
    ...(error === undefined ? {} : { error: withoutTrace(error) }),
  }
}

export const listFlows = (db: Database, query: FlowQuery = {}): Page<FlowSummary> => {
  const size = pageSize(query.limit)
  const { after = Number.MAX_SAFE_INTEGER } = query
  if (!Number.isSafeInteger(after))
    throw queryInvalid('The cursor of the flows is not one a page of flows gave. Begin without it.')
  const conditions = ['f.seq < ?']
  const values: (string | number)[] = [after]
  if (query.status === 'open') conditions.push('f.until_revision IS NULL')
  else if (query.status === 'troubled')
    conditions.push(
      "f.until_revision IS NULL AND (f.status = 'parked' OR EXISTS (SELECT 1 FROM json_each(f.waiting) AS w WHERE json_extract(w.value, '$.error') IS NOT NULL))",
    )
  else if (query.status === 'attention') conditions.push(`f.seq IN (${flowsInAttention})`)
  else if (query.status !== undefined) {
    conditions.push('f.status = ?')
    values.push(query.status)
  }
  if (query.name !== undefined) {
    conditions.push('f.name = ?')
    values.push(query.name)
  }
  if (query.parent !== undefined) {
    conditions.push('f.seq IN (SELECT child_seq FROM flow_children WHERE parent_seq = ?)')
    values.push(findByHash(db, 'flows', query.parent) ?? -1)
  }
  const rows = db
    .prepare(`${select} WHERE ${conditions.join(' AND ')} ORDER BY f.seq DESC LIMIT ?`)
    .lists(...values, size + 1)
  return pageOf(rows, size, listedOf, ([seq]) => Number(seq))
}

const childrenShown = 1_000

const idIn = (db: Database, sql: string, seq: number): FlowId | undefined => {
  const id = db.prepare(sql).lists(seq)[0]?.[0]
  return typeof id === 'string' ? (id as FlowId) : undefined
}

/** The flows that belong to a flow: its parent, its children, and the one it has continued as. */
const familyOf = (db: Database, seq: number): Pick<FlowDetails, 'parent' | 'children' | 'continuedAs'> => {
  const parent = idIn(
    db,
    'SELECT p.id FROM flow_children c JOIN flows p ON p.seq = c.parent_seq WHERE c.child_seq = ?',
    seq,
  )
  const continuedAs = idIn(
    db,
    'SELECT n.id FROM flow_continuations k JOIN flows n ON n.seq = k.flow_seq WHERE k.from_seq = ?',
    seq,
  )
  const children = db
    .prepare(
      'SELECT f.id, f.name, f.status, c.when_parent_ends FROM flow_children c JOIN flows f ON f.seq = c.child_seq WHERE c.parent_seq = ? ORDER BY c.child_seq LIMIT ?',
    )
    .lists(seq, childrenShown)
    .map(([id, name, status, whenParentEnds]): FlowChild => ({
      id: String(id) as FlowId,
      name: String(name),
      status: String(status) as FlowStatus,
      whenParentEnds: whenParentEnds === 'cancel' ? 'cancel' : 'leave',
    }))
  return {
    children,
    ...(parent === undefined ? {} : { parent }),
    ...(continuedAs === undefined ? {} : { continuedAs }),
  }
}

/** One flow without what it has recorded, and how much that is. */
export const findFlowSummary = (
  db: Database,
  id: FlowId,
): { readonly flow: FlowSummary; readonly recorded: number } | undefined => {
  const seq = findByHash(db, 'flows', id)
  const [row] = seq === undefined ? [] : db.prepare(`${select} WHERE f.seq = ?`).lists(seq)
  if (row === undefined || seq === undefined) return undefined
  const [[recorded] = []] = db.prepare('SELECT count(*) FROM flow_records WHERE flow_seq = ?').lists(seq)
  return { flow: summaryOf(row), recorded: Number(recorded) }
}

/** One flow with its record. */
export const findFlow = (
  db: Database,
  id: FlowId,
  locate: Locate = (text) => findByHash(db, 'flows', text),
): FlowDetails | undefined => {
  const seq = locate(id)
  const [row] = seq === undefined ? [] : db.prepare(`${select} WHERE f.seq = ?`).lists(seq)
  if (row === undefined || seq === undefined) return undefined
  const record = db.prepare('SELECT operation FROM flow_records WHERE flow_seq = ? ORDER BY position').all(seq)
  const summary = summaryOf(row)
  return {
    ...summary,
    input: JSON.parse(flowRowOf(row).input) as unknown,
    troubles: db
      .prepare('SELECT at_ms, what, by, error, retry_at FROM flow_troubles WHERE flow_seq = ? ORDER BY revision, place')
      .all(seq)
      .map(troubleOf),
    // What continues a flow has its signals.
    signals: summary.endedAt === undefined ? keptSignals(db, seq).map(signalOf) : [],
    ...familyOf(db, seq),
    record: record.map(({ operation }) => JSON.parse(String(operation)) as RecordedOperation),
  }
}

/** How a flow stands, and what came of it. Callers wait for this, so nothing else is read. */
export const findFlowEnd = (
  db: Database,
  id: FlowId,
  locate: Locate = (text) => findByHash(db, 'flows', text),
): FlowEnd | undefined => {
  const seq = locate(id)
  const [row] = seq === undefined ? [] : db.prepare('SELECT status, result, error FROM flows WHERE seq = ?').lists(seq)
  if (row === undefined || seq === undefined) return undefined
  const [status, result, error] = row
  const next = status === 'continued' ? familyOf(db, seq).continuedAs : undefined
  return {
    status: String(status) as FlowStatus,
    result: typeof result === 'string' ? result : null,
    error: typeof error === 'string' ? error : null,
    ...(next === undefined ? {} : { next }),
  }
}

/** Where in the log a flow began, and where it ended if it has. */
export const findFlowRevisions = (
  db: Database,
  id: FlowId,
): { readonly from: number; readonly until: number | undefined } | undefined => {
  const row = db
    .prepare('SELECT from_revision, until_revision FROM flows WHERE seq = ?')
    .get(findByHash(db, 'flows', id) ?? -1)
  if (row === undefined) return undefined
  const until = row['until_revision']
  return { from: Number(row['from_revision']), until: typeof until === 'number' ? until : undefined }
}

/** The ids of flows that wait for something, oldest first. */
export const listWaitingFlows = (db: Database): readonly FlowId[] =>
  db
    .prepare('SELECT id FROM flows WHERE until_revision IS NULL AND waiting IS NOT NULL ORDER BY seq')
    .all()
    .map(({ id }) => String(id) as FlowId)

/** Said of a text that is the beginning of no flow id, or of several. */
export const noFlowId = (text: string, howMany: 'No' | 'More than one' = 'No'): CarillonError =>
  new CarillonError(
    'flow-not-found',
    `${howMany} flow id begins with "${text}". Give more of its 32 hex digits; carillon flow list shows them.`,
    { flow: text },
  )

const noFlowOf = (text: string): CarillonError =>
  new CarillonError('flow-not-found', `No flow was started as "${text}", by this caller with this client id.`, {
    flow: text,
  })

/**
 * A flow as people name it: by its whole id, by the first digits of one that nothing else begins with, or by its caller and
 * its client id.
 */
export const resolveFlowId = (db: Database, text: string): FlowId => {
  if (FlowIdC.is(text)) return text
  const named = namedByClient(text)
  if (named !== undefined) {
    if (findByHash(db, 'flows', named.id) === undefined) throw noFlowOf(text)
    return named.id
  }
  const rows = /^[0-9a-f]{4,31}$/.test(text)
    ? db.prepare('SELECT id FROM flows WHERE id >= ? AND id < ? LIMIT 2').all(text, `${text}g`)
    : []
  const [only] = rows
  if (rows.length === 1 && only !== undefined) return String(only['id']) as FlowId
  throw noFlowId(text, rows.length === 0 ? 'No' : 'More than one')
}

/** How many flows have not ended, and how many of these need attention. */
export const countFlows = (
  db: Database,
): {
  readonly open: number
  readonly parked: number
  readonly paused: number
  /** Superseded after they had begun a step, and not dismissed yet. */
  readonly superseded: number
} => {
  const row = db
    .prepare(
      "SELECT count(*) AS open, count(*) FILTER (WHERE status = 'parked') AS parked, count(*) FILTER (WHERE status = 'paused') AS paused, (SELECT count(*) FROM flow_attention) AS superseded FROM flows WHERE until_revision IS NULL",
    )
    .get()
  return {
    open: Number(row?.['open']),
    parked: Number(row?.['parked']),
    paused: Number(row?.['paused']),
    superseded: Number(row?.['superseded']),
  }
}
