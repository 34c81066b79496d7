/**
 * The flows and their records. As with states, a row is written once a tick, so a flow that starts and ends in
 * one tick costs a single row.
 */
import { assertInvariant } from '../../errors/CarillonError.js'
import { limits } from '../../limits.js'
import type { RecordedOperation } from '../../log/events.js'
import { BulkInsert } from './BulkInsert.js'
import type { Database, SqlRow, SqlValue, Statement } from '../Database.js'
import { HashIndex, hashIndexSchema } from './HashIndex.js'
import { RecentRows } from './RecentRows.js'
import type { Flows } from '../../flow/FlowTables.js'
import type { Role } from '../../log/Message.js'
import type { SessionId } from '../../log/SessionId.js'
import type { FlowId } from '../../log/FlowId.js'
import type { FlowDraft, FlowRow, FlowStatus, StartCause } from '../../flow/FlowRow.js'

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

const flowColumns = [
  'seq',
  'id',
  'name',
  'version',
  'input',
  'started_ms',
  'from_revision',
  'state_seq',
  'due_ms',
  'attempt',
  'lateness_ms',
  'cause',
  'client_id',
  'started_by',
  'session',
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
] as const

const numberOrNull = (value: SqlValue | undefined): number | null => (typeof value === 'number' ? value : null)
const textOrNull = (value: SqlValue | undefined): string | null => (typeof value === 'string' ? value : null)

export const flowRowOf = (row: SqlRow): FlowDraft => ({
  seq: Number(row['seq']),
  id: String(row['id']) as FlowId,
  name: String(row['name']),
  version: Number(row['version']),
  input: String(row['input']),
  startedMs: Number(row['started_ms']),
  fromRevision: Number(row['from_revision']),
  stateSeq: numberOrNull(row['state_seq']),
  dueMs: numberOrNull(row['due_ms']),
  attempt: numberOrNull(row['attempt']),
  latenessMs: numberOrNull(row['lateness_ms']),
  cause: textOrNull(row['cause']) as StartCause | null,
  clientId: textOrNull(row['client_id']),
  startedBy: textOrNull(row['started_by']),
  session: textOrNull(row['session']),
  status: String(row['status']) as FlowStatus,
  untilRevision: numberOrNull(row['until_revision']),
  endedMs: numberOrNull(row['ended_ms']),
  result: textOrNull(row['result']),
  error: textOrNull(row['error']),
  waiting: textOrNull(row['waiting']),
  stepsUnderWay: Number(row['steps_under_way']),
  wakeMs: numberOrNull(row['wake_ms']),
  recorded: Number(row['recorded']),
  progress: textOrNull(row['progress']),
})

type FreshOperation = { readonly flowSeq: number; readonly position: number; readonly text: string }

export class FlowTable implements Flows {
  /** The flow at this node's end of a session, by sequence number. */
  readonly #flowAtSession: (session: SessionId, role: Role) => number | undefined
  readonly #index: HashIndex
  readonly #rows = new Map<number, FlowDraft>()
  readonly #recent = new RecentRows(this.#rows)
  readonly #fresh = new Set<FlowDraft>()
  readonly #changed = new Set<FlowDraft>()
  readonly #operations: FreshOperation[] = []
  /** All flows that are to be woken at some instant, as long as they are few; undefined when they are not. */
  #waking: Map<number, FlowDraft> | undefined
  /** No flow is to be woken before this instant. */
  #quietUntilMs = Number.NEGATIVE_INFINITY
  /** Whether a flow is to be woken at that very instant: known until a flow changes. */
  #isExact = false
  #nextSeq: number
  readonly #insert: BulkInsert
  readonly #update: Statement
  readonly #insertOperation: BulkInsert
  readonly #bySeq: Statement
  readonly #toWake: Statement
  readonly #nextWake: Statement
  readonly #countWaking: Statement
  readonly #inSteps: Statement
  readonly #record: Statement
  readonly #lastEnd: Statement
  readonly #lastAttempt: Statement
  readonly #lastSeq: Statement

  constructor(db: Database, flowAtSession: (session: SessionId, role: Role) => number | undefined) {
    this.#flowAtSession = flowAtSession
    this.#insert = new BulkInsert(db, 'flows', flowColumns)
    this.#update = db.prepare(
      'UPDATE flows SET status = ?, until_revision = ?, ended_ms = ?, result = ?, error = ?, waiting = ?, steps_under_way = ?, wake_ms = ?, recorded = ?, progress = ? WHERE seq = ?',
    )
    this.#insertOperation = new BulkInsert(db, 'flow_records', ['flow_seq', 'position', 'operation'])
    this.#bySeq = db.prepare('SELECT * FROM flows WHERE seq = ?')
    this.#toWake = db.prepare('SELECT * FROM flows WHERE wake_ms <= ? ORDER BY wake_ms, seq LIMIT ?')
    this.#nextWake = db.prepare('SELECT wake_ms FROM flows WHERE wake_ms IS NOT NULL ORDER BY wake_ms LIMIT 1')
    this.#countWaking = db.prepare(
      'SELECT count(*) AS flows FROM (SELECT 1 FROM flows WHERE wake_ms IS NOT NULL LIMIT ?)',
    )
    this.#inSteps = db.prepare(
      "SELECT * FROM flows WHERE until_revision IS NULL AND seq > ? AND status = 'running' AND steps_under_way > 0 ORDER BY seq LIMIT ?",
    )
    this.#record = db.prepare('SELECT operation FROM flow_records WHERE flow_seq = ? ORDER BY position')
    this.#lastEnd = db.prepare('SELECT until_revision FROM flows WHERE state_seq = ? ORDER BY seq DESC LIMIT 1')
    this.#lastAttempt = db.prepare('SELECT max(attempt) AS attempt FROM flows WHERE state_seq = ? AND due_ms = ?')
    this.#lastSeq = db.prepare('SELECT max(seq) AS seq FROM flows')
    this.#index = new HashIndex(db, 'flows')
    this.#nextSeq = this.#readNextSeq()
  }

  #readNextSeq(): number {
    return (numberOrNull(this.#lastSeq.get()?.['seq']) ?? 0) + 1
  }

  #remember(row: SqlRow): FlowDraft {
    const known = this.#rows.get(Number(row['seq']))
    if (known !== undefined) return known
    const read = flowRowOf(row)
    this.#rows.set(read.seq, read)
    return read
  }

  get nextSeq(): number {
    return this.#nextSeq
  }

  insert(row: FlowDraft): void {
    this.#nextSeq += 1
    this.#rows.set(row.seq, row)
    this.#fresh.add(row)
    this.#index.add(row.id, row.seq)
    this.#wakes(row)
  }

  touch(row: FlowDraft): void {
    this.#wakes(row)
    if (!this.#fresh.has(row)) this.#changed.add(row)
  }

  /** Takes note of when a flow that is new or changed is to be woken. */
  #wakes(row: FlowDraft): void {
    this.#isExact = false
    if (row.wakeMs !== null && row.wakeMs < this.#quietUntilMs) this.#quietUntilMs = row.wakeMs
    if (this.#waking === undefined) return
    if (row.wakeMs === null) this.#waking.delete(row.seq)
    else this.#waking.set(row.seq, row)
    if (this.#waking.size > limits.rowsKept) this.#waking = undefined
  }

  readonly locate = (id: string): number | undefined => this.#index.find(id)

  find(id: FlowId): FlowDraft | undefined {
    const seq = this.#index.find(id)
    return seq === undefined ? undefined : this.get(seq)
  }

  atSession(session: SessionId, role: Role): FlowDraft | undefined {
    const seq = this.#flowAtSession(session, role)
    return seq === undefined ? undefined : this.get(seq)
  }

  get(seq: number): FlowDraft {
    const known = this.#rows.get(seq)
    if (known !== undefined) return known
    const row = this.#bySeq.get(seq)
    assertInvariant(row !== undefined, `there is no flow with sequence number ${seq}`)
    return this.#remember(row)
  }

  appendOperations(row: FlowDraft, texts: readonly string[]): void {
    texts.forEach((text, offset) => this.#operations.push({ flowSeq: row.seq, position: row.recorded + offset, text }))
    row.recorded += texts.length
    this.touch(row)
  }

  lastSeq(): number {
    return this.#nextSeq - 1
  }

  record(row: FlowRow): readonly RecordedOperation[] {
    this.flush()
    return this.#record.all(row.seq).map(({ operation }) => JSON.parse(String(operation)) as RecordedOperation)
  }

  toWake(nowMs: number, limit: number): readonly FlowDraft[] {
    if (this.#waking === undefined) {
      if (this.#quietUntilMs > nowMs) return []
      this.#learnWaking()
    }
    if (this.#waking !== undefined) {
      const due = [...this.#waking.values()].filter(({ wakeMs }) => wakeMs !== null && wakeMs <= nowMs)
      return due.sort((a, b) => (a.wakeMs ?? 0) - (b.wakeMs ?? 0) || a.seq - b.seq).slice(0, limit)
    }
    return this.#toWake.all(nowMs, limit).map((row) => this.#remember(row))
  }

  isToWake(nowMs: number): boolean {
    for (const { wakeMs } of this.#waking?.values() ?? []) if (wakeMs !== null && wakeMs <= nowMs) return true
    return false
  }

  nextWakeMs(): number | undefined {
    if (this.#waking === undefined && !this.#isExact) this.#learnWaking()
    const nextMs =
      this.#waking === undefined
        ? this.#quietUntilMs
        : Math.min(...[...this.#waking.values()].map(({ wakeMs }) => wakeMs ?? Number.POSITIVE_INFINITY))
    return nextMs === Number.POSITIVE_INFINITY ? undefined : nextMs
  }

  #learnWaking(): void {
    this.flush()
    const isFew = Number(this.#countWaking.get(limits.rowsKept + 1)?.['flows']) <= limits.rowsKept
    if (isFew) {
      const rows = this.#toWake.all(Number.MAX_SAFE_INTEGER, limits.rowsKept).map((row) => this.#remember(row))
      this.#waking = new Map(rows.map((row) => [row.seq, row]))
      return
    }
    this.#quietUntilMs = numberOrNull(this.#nextWake.get()?.['wake_ms']) ?? Number.POSITIVE_INFINITY
    this.#isExact = true
  }

  inSteps(afterSeq: number, limit: number): readonly FlowDraft[] {
    this.flush()
    return this.#inSteps.all(afterSeq, limit).map((row) => this.#remember(row))
  }

  lastEndOf(stateSeq: number): number {
    this.flush()
    return numberOrNull(this.#lastEnd.get(stateSeq)?.['until_revision']) ?? Number.MAX_SAFE_INTEGER
  }

  lastAttempt(stateSeq: number, dueMs: number): number {
    this.flush()
    return numberOrNull(this.#lastAttempt.get(stateSeq, dueMs)?.['attempt']) ?? 0
  }

  flush(): void {
    for (const row of this.#fresh) {
      this.#insert
        .next()
        .push(
          row.seq,
          row.id,
          row.name,
          row.version,
          row.input,
          row.startedMs,
          row.fromRevision,
          row.stateSeq,
          row.dueMs,
          row.attempt,
          row.latenessMs,
          row.cause,
          row.clientId,
          row.startedBy,
          row.session,
          row.status,
          row.untilRevision,
          row.endedMs,
          row.result,
          row.error,
          row.waiting,
          row.stepsUnderWay,
          row.wakeMs,
          row.recorded,
          row.progress,
        )
    }
    this.#insert.flush()
    for (const row of this.#changed) {
      this.#update.run(
        row.status,
        row.untilRevision,
        row.endedMs,
        row.result,
        row.error,
        row.waiting,
        row.stepsUnderWay,
        row.wakeMs,
        row.recorded,
        row.progress,
        row.seq,
      )
    }
    for (const { flowSeq, position, text } of this.#operations)
      this.#insertOperation.next().push(flowSeq, position, text)
    this.#insertOperation.flush()
    this.#fresh.clear()
    this.#changed.clear()
    this.#operations.length = 0
  }

  closeTick(): void {
    this.flush()
    this.#index.closeTick()
  }

  committed(): void {
    if (this.#rows.size > limits.rowsKept) {
      this.#rows.clear()
      for (const row of this.#waking?.values() ?? []) this.#rows.set(row.seq, row)
    }
    this.#index.committed()
  }

  /** After a part of a log was folded: what came with it stays for the next part, what came before goes. */
  committedFold(): void {
    this.#recent.turn()
    for (const row of this.#waking?.values() ?? []) this.#rows.set(row.seq, row)
    this.#index.committed()
  }

  rolledBack(): void {
    this.#waking = undefined
    this.#quietUntilMs = Number.NEGATIVE_INFINITY
    this.#isExact = false
    this.#rows.clear()
    this.#fresh.clear()
    this.#changed.clear()
    this.#operations.length = 0
    this.#insert.clear()
    this.#insertOperation.clear()
    this.#index.rolledBack()
    this.#nextSeq = this.#readNextSeq()
  }

  /** After ticks that were taken to stand do not. */
  reload(): void {
    this.#index.reload()
  }
}
