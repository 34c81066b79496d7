/**
 * The flows and their records. A flow that starts and ends in one tick costs a single row.
 */
import { assertInvariant } from '../../errors/CarillonError.js'
import type { FlowDraft, FlowRow, FlowStatus, StartCause } from '../../flow/FlowRow.js'
import type { Flows } from '../../flow/FlowTables.js'
import type { RecordedOperation } from '../../log/events.js'
import type { FlowId } from '../../log/FlowId.js'
import type { SessionRole } from '../../log/Message.js'
import type { SessionId } from '../../log/SessionId.js'
import type { Database, SqlValue, Statement } from '../Database.js'
import type { UnitOfWork } from '../UnitOfWork.js'
import { BulkInsert } from './BulkInsert.js'
import { hashIndexSchema } from './HashIndex.js'
import { RowCache } from './RowCache.js'
import { Table } from './Table.js'
import { WakingFlows, type WakingReader } from './WakingFlows.js'

export const flowsSchema = `
  CREATE TABLE IF NOT EXISTS flows (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    input TEXT NOT NULL,
    started_ms INTEGER NOT NULL,
    from_revision INTEGER NOT NULL,
    state_seq INTEGER,
    due_ms INTEGER,
    attempt INTEGER,
    lateness_ms INTEGER,
    cause TEXT,
    client_id TEXT,
    started_by TEXT,
    session TEXT,
    status TEXT NOT NULL,
    until_revision INTEGER,
    ended_ms INTEGER,
    result TEXT,
    error TEXT,
    waiting TEXT,
    steps_under_way INTEGER NOT NULL,
    wake_ms INTEGER,
    recorded INTEGER NOT NULL,
    progress TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS flows_wake ON flows (wake_ms, seq) WHERE wake_ms IS NOT NULL;
  CREATE INDEX IF NOT EXISTS flows_unended ON flows (seq) WHERE until_revision IS NULL;
  CREATE INDEX IF NOT EXISTS flows_of_state ON flows (state_seq) WHERE state_seq IS NOT NULL;
  CREATE TABLE IF NOT EXISTS flow_records (
    flow_seq INTEGER NOT NULL, position INTEGER NOT NULL, operation TEXT NOT NULL, PRIMARY KEY (flow_seq, position)
  ) STRICT, WITHOUT ROWID;
  ${hashIndexSchema('flows')}
`

/** The table's columns, in the order of {@link flowRowOf} and {@link valuesOf}. */
// prettier-ignore
const columns = [
  'seq', 'id', 'name', 'version', 'input', 'started_ms', 'from_revision', 'state_seq', 'due_ms', 'attempt',
  'lateness_ms', 'cause', 'client_id', 'started_by', 'session', 'status', 'until_revision', 'ended_ms',
  'result', 'error', 'waiting', 'steps_under_way', 'wake_ms', 'recorded', 'progress',
]

// prettier-ignore
const valuesOf = (row: FlowDraft): readonly SqlValue[] => [
  row.seq, row.id, row.name, row.version, row.input, row.startedMs, row.fromRevision, row.stateSeq, row.dueMs,
  row.attempt, row.latenessMs, row.cause, row.clientId, row.startedBy, row.session, row.status,
  row.untilRevision, row.endedMs, row.result, row.error, row.waiting, row.stepsUnderWay, row.wakeMs,
  row.recorded, row.progress,
]

const changes = [
  [
    'status',
    'until_revision',
    'ended_ms',
    'result',
    'error',
    'waiting',
    'steps_under_way',
    'wake_ms',
    'recorded',
    'progress',
  ],
]

/** The columns of {@link flowRowOf}, first in a row that may have more. */
export const flowColumns = (alias: string): string => columns.map((name) => `${alias}.${name}`).join(', ')

/** How many they are: what else was asked for stands behind them. */
export const flowWidth = columns.length

const numberOrNull = (value: SqlValue | undefined): number | null => (typeof value === 'number' ? value : null)
const textOrNull = (value: SqlValue | undefined): string | null => (typeof value === 'string' ? value : null)

/** A row that begins with {@link flowColumns}. */
export const flowRowOf = (values: readonly SqlValue[]): FlowDraft => {
  // prettier-ignore
  const [
    seq, id, name, version, input, startedMs, fromRevision, stateSeq, dueMs, attempt, latenessMs, cause, clientId,
    startedBy, session, status, untilRevision, endedMs, result, error, waiting, stepsUnderWay, wakeMs, recorded, progress,
  ] = values
  return {
    seq: Number(seq),
    id: String(id) as FlowId,
    name: String(name),
    version: Number(version),
    input: String(input),
    startedMs: Number(startedMs),
    fromRevision: Number(fromRevision),
    stateSeq: numberOrNull(stateSeq),
    dueMs: numberOrNull(dueMs),
    attempt: numberOrNull(attempt),
    latenessMs: numberOrNull(latenessMs),
    cause: textOrNull(cause) as StartCause | null,
    clientId: textOrNull(clientId),
    startedBy: textOrNull(startedBy),
    session: textOrNull(session),
    status: String(status) as FlowStatus,
    untilRevision: numberOrNull(untilRevision),
    endedMs: numberOrNull(endedMs),
    result: textOrNull(result),
    error: textOrNull(error),
    waiting: textOrNull(waiting),
    stepsUnderWay: Number(stepsUnderWay),
    wakeMs: numberOrNull(wakeMs),
    recorded: Number(recorded),
    progress: textOrNull(progress),
  }
}

const select = `SELECT ${flowColumns('s')} FROM flows s`

type FreshOperation = { readonly flowSeq: number; readonly position: number; readonly text: string }

export class FlowTable implements Flows {
  /** The flow at this node's end of a session, by sequence number. */
  readonly #flowAtSession: (session: SessionId, role: SessionRole) => number | undefined
  readonly #table: Table<FlowDraft>
  readonly #waking: WakingFlows
  readonly #operations: FreshOperation[] = []
  readonly #insertOperation: BulkInsert
  readonly #inSteps: Statement
  readonly #record: Statement
  readonly #lastEnd: Statement
  readonly #lastAttempt: Statement

  constructor(
    db: Database,
    unit: UnitOfWork,
    flowAtSession: (session: SessionId, role: SessionRole) => number | undefined,
  ) {
    this.#flowAtSession = flowAtSession
    this.#waking = new WakingFlows(unit, this.#wakingReader(db))
    this.#table = new Table<FlowDraft>(
      db,
      unit,
      { name: 'flows', columns, changes, select, read: flowRowOf, values: valuesOf, idOf: (row) => row.id },
      new RowCache(unit, () => this.#waking.rows()),
    )
    this.#insertOperation = new BulkInsert(db, 'flow_records', ['flow_seq', 'position', 'operation'])
    unit.join({
      write: () => this.#writeOperations(),
      rolledBack: () => {
        this.#operations.length = 0
        this.#insertOperation.clear()
      },
    })
    this.#inSteps = db.prepare(
      `${select} WHERE until_revision IS NULL AND seq > ? AND status = 'running' AND steps_under_way > 0 ORDER BY seq LIMIT ?`,
    )
    this.#record = db.prepare('SELECT operation FROM flow_records WHERE flow_seq = ? ORDER BY position')
    this.#lastEnd = db.prepare('SELECT until_revision FROM flows WHERE state_seq = ? ORDER BY seq DESC LIMIT 1')
    this.#lastAttempt = db.prepare('SELECT max(attempt) FROM flows WHERE state_seq = ? AND due_ms = ?')
  }

  #wakingReader(db: Database): WakingReader {
    const toWake = db.prepare(`${select} WHERE wake_ms <= ? ORDER BY wake_ms, seq LIMIT ?`)
    const nextWake = db.prepare('SELECT wake_ms FROM flows WHERE wake_ms IS NOT NULL ORDER BY wake_ms LIMIT 1')
    const count = db.prepare('SELECT count(*) FROM (SELECT 1 FROM flows WHERE wake_ms IS NOT NULL LIMIT ?)')
    return {
      toWake: (nowMs, limit) => {
        this.#table.flush()
        return toWake.lists(nowMs, limit).map(this.#table.hold)
      },
      nextMs: () => {
        this.#table.flush()
        return numberOrNull(nextWake.lists()[0]?.[0])
      },
      count: (limit) => {
        this.#table.flush()
        return Number(count.lists(limit)[0]?.[0])
      },
    }
  }

  get nextSeq(): number {
    return this.#table.nextSeq
  }

  insert(row: FlowDraft): void {
    this.#table.insert(row)
    this.#waking.noteChange(row)
  }

  touch(row: FlowDraft): void {
    this.#waking.noteChange(row)
    this.#table.touch(row)
  }

  readonly locate = (id: string): number | undefined => this.#table.locate(id)

  find(id: FlowId): FlowDraft | undefined {
    const seq = this.#table.locate(id)
    return seq === undefined ? undefined : this.get(seq)
  }

  atSession(session: SessionId, role: SessionRole): FlowDraft | undefined {
    const seq = this.#flowAtSession(session, role)
    return seq === undefined ? undefined : this.get(seq)
  }

  get(seq: number): FlowDraft {
    const row = this.#table.get(seq)
    assertInvariant(row !== undefined, `there is no flow with sequence number ${seq}`)
    return row
  }

  appendOperations(row: FlowDraft, texts: readonly string[]): void {
    texts.forEach((text, offset) => this.#operations.push({ flowSeq: row.seq, position: row.recorded + offset, text }))
    row.recorded += texts.length
    this.touch(row)
  }

  #writeOperations(): void {
    for (const { flowSeq, position, text } of this.#operations)
      this.#insertOperation.next().push(flowSeq, position, text)
    this.#insertOperation.flush()
    this.#operations.length = 0
  }

  lastSeq(): number {
    return this.nextSeq - 1
  }

  record(row: FlowRow): readonly RecordedOperation[] {
    this.#writeOperations()
    return this.#record.lists(row.seq).map(([operation]) => JSON.parse(String(operation)) as RecordedOperation)
  }

  toWake(nowMs: number, limit: number): readonly FlowDraft[] {
    return this.#waking.toWake(nowMs, limit)
  }

  isToWake(nowMs: number): boolean {
    return this.#waking.isToWake(nowMs)
  }

  nextWakeMs(): number | undefined {
    return this.#waking.nextMs()
  }

  inSteps(afterSeq: number, limit: number): readonly FlowDraft[] {
    this.#table.flush()
    return this.#inSteps.lists(afterSeq, limit).map(this.#table.hold)
  }

  lastEndOf(stateSeq: number): number {
    this.#table.flush()
    return numberOrNull(this.#lastEnd.lists(stateSeq)[0]?.[0]) ?? Number.MAX_SAFE_INTEGER
  }

  lastAttempt(stateSeq: number, dueMs: number): number {
    this.#table.flush()
    return numberOrNull(this.#lastAttempt.lists(stateSeq, dueMs)[0]?.[0]) ?? 0
  }

  flush(): void {
    this.#table.flush()
  }
}
