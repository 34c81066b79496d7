/**
 * The vault's rows. Within a tick rows live in memory and each is written once when the tick closes, so a
 * state that is produced, scheduled and consumed in one tick costs a single row and never meets the agenda.
 */
import { assertInvariant } from '../../errors/CarillonError.js'
import { sameRef, type StateRef } from '../../ledger/StateRef.js'
import { limits } from '../../limits.js'
import { BulkInsert } from './BulkInsert.js'
import type { Database, SqlValue, Statement } from '../Database.js'
import { DueStates } from './DueStates.js'
import { StateCache } from './StateCache.js'
import type { StateTypeTable } from './StateTypeTable.js'
import { orNull, ownColumns, pushState, seqOf, stateColumns, stateRowOf } from './stateColumns.js'
import { newState } from './StoredState.js'
import type { Activities } from '../../agenda/AgendaTables.js'
import type { FlowId } from '../../log/FlowId.js'
import type { NewState } from '../../vault/StateRow.js'
import type { States } from '../../vault/VaultTables.js'
import type { StoredState } from './StoredState.js'
import type { TransactionTable } from './TransactionTable.js'

export class StateTable implements States, Activities {
  /** The state whose activity started a flow, by sequence number. */
  readonly #stateOfFlow: (flow: FlowId) => number | undefined
  readonly #kinds: StateTypeTable
  readonly #transactions: TransactionTable
  readonly #held = new StateCache()
  readonly #dueStates: DueStates
  readonly #fresh = new Set<StoredState>()
  readonly #changed = new Set<StoredState>()
  /** Rows of which no more has changed than how far their activity and their life have come. */
  readonly #progressed = new Set<StoredState>()
  #nextSeq: number

  readonly #insert: BulkInsert
  readonly #update: Statement
  readonly #updateProgress: Statement
  readonly #updateConsumed: Statement
  readonly #bySeq: Statement
  readonly #due: Statement
  readonly #nextDue: Statement
  readonly #ended: Statement
  readonly #unconsumed: Statement
  readonly #keyed: Statement
  readonly #relevant: Statement
  readonly #lastSeq: Statement

  constructor(
    db: Database,
    kinds: StateTypeTable,
    transactions: TransactionTable,
    stateOfFlow: (flow: FlowId) => number | undefined,
  ) {
    this.#stateOfFlow = stateOfFlow
    this.#kinds = kinds
    this.#transactions = transactions
    const select = `SELECT ${stateColumns} FROM states s JOIN transactions t ON t.seq = s.transaction_seq`
    this.#insert = new BulkInsert(db, 'states', ownColumns)
    this.#update = db.prepare(
      'UPDATE states SET relevant = ?, participants = ?, key = ?, until_revision = ?, consumed_by = ?, standing = ?, due_ms = ?, acts_at_ms = ?, activity = ?, attempt = ?, error = ?, note = ?, cause = ? WHERE seq = ?',
    )
    this.#updateProgress = db.prepare(
      'UPDATE states SET until_revision = ?, consumed_by = ?, standing = ?, acts_at_ms = ?, attempt = ?, error = ?, note = ?, cause = ? WHERE seq = ?',
    )
    this.#updateConsumed = db.prepare(
      'UPDATE states SET until_revision = ?, consumed_by = ?, attempt = ?, standing = NULL, acts_at_ms = NULL, error = NULL, note = NULL, cause = NULL WHERE seq = ?',
    )
    this.#bySeq = db.prepare(`${select} WHERE s.seq = ?`)
    this.#due = db.prepare(`${select} WHERE s.acts_at_ms <= ? ORDER BY s.acts_at_ms, s.seq LIMIT ?`)
    this.#nextDue = db.prepare('SELECT acts_at_ms FROM states WHERE acts_at_ms IS NOT NULL ORDER BY acts_at_ms LIMIT 1')
    this.#ended = db.prepare(
      `${select} WHERE s.standing = 'ended' AND (s.due_ms > ? OR (s.due_ms = ? AND s.seq > ?)) ORDER BY s.due_ms, s.seq LIMIT ?`,
    )
    this.#unconsumed = db.prepare(
      `${select} WHERE s.kind = ? AND s.until_revision IS NULL AND s.seq > ? ORDER BY s.seq LIMIT ?`,
    )
    this.#keyed = db.prepare(`${select} WHERE s.kind = ? AND s.key = ? AND s.until_revision IS NULL`)
    this.#relevant = db.prepare(
      `${select} WHERE s.kind = ? AND s.until_revision IS NULL AND s.relevant = 1 AND s.seq > ? ORDER BY s.seq LIMIT ?`,
    )
    this.#lastSeq = db.prepare('SELECT max(seq) AS seq FROM states')
    this.#nextSeq = this.#readNextSeq()
    this.#dueStates = new DueStates({
      due: (nowMs, limit) => this.#readDue(nowMs, limit),
      nextMs: () => this.#readNextDueMs(),
    })
  }

  #readNextSeq(): number {
    return (orNull(this.#lastSeq.get()?.['seq']) ?? 0) + 1
  }

  #remember(row: readonly SqlValue[]): StoredState {
    return this.#held.get(seqOf(row)) ?? this.#hold(stateRowOf(row, this.#kinds))
  }

  #hold(read: StoredState): StoredState {
    this.#held.add(read)
    return read
  }

  get nextSeq(): number {
    return this.#nextSeq
  }

  insert(state: NewState): StoredState {
    const row = newState(state)
    this.#nextSeq += 1
    this.#held.addFresh(row)
    this.#fresh.add(row)
    return row
  }

  ofFlow(flow: FlowId): StoredState | undefined {
    const seq = this.#stateOfFlow(flow)
    return seq === undefined ? undefined : this.get(seq)
  }

  /** To be called after changing a row's members. */
  touch(row: StoredState): void {
    this.#dueStates.noteChange(row)
    if (this.#fresh.has(row)) return
    this.#progressed.delete(row)
    this.#changed.add(row)
  }

  /** As {@link touch}, when only its consumption, standing, attempts, error, note or cause were changed. */
  progress(row: StoredState): void {
    this.#dueStates.noteChange(row)
    if (!this.#fresh.has(row) && !this.#changed.has(row)) this.#progressed.add(row)
  }

  get(seq: number): StoredState {
    const known = this.#held.get(seq)
    if (known !== undefined) return known
    const [row] = this.#bySeq.lists(seq)
    assertInvariant(row !== undefined, `there is no state with sequence number ${seq}`)
    return this.#remember(row)
  }

  find(ref: StateRef): StoredState | undefined {
    const known = this.#held.find(ref)
    if (known !== undefined) return known
    const transaction = this.#transactions.find(ref.transaction)
    const isPlace = Number.isSafeInteger(ref.index) && ref.index >= 0
    if (transaction === undefined || !isPlace || ref.index >= transaction.outputs) return undefined
    const row = this.get(transaction.firstState + ref.index)
    assertInvariant(sameRef(row.ref, ref), `state ${row.seq} is not the output it should be`)
    return row
  }

  withKey(type: string, key: string): StoredState | undefined {
    const recent = this.#held.newest(type, key)
    if (recent?.untilRevision === null && recent.key === key) return recent
    for (const kind of this.#kinds.idsOfType(type)) {
      const [found] = this.#keyed.lists(kind, key)
      if (found === undefined) continue
      // Read from the database it is as the tick found it; in memory it is as the tick has left it so far.
      const row = this.#remember(found)
      if (row.untilRevision === null && row.key === key) return row
    }
    return undefined
  }

  due(nowMs: number, limit: number): readonly StoredState[] {
    return this.#dueStates.due(nowMs, limit)
  }

  isDueAhead(nowMs: number): boolean {
    return this.#dueStates.isDueAhead(nowMs)
  }

  nextDueMs(): number | undefined {
    return this.#dueStates.nextMs()
  }

  #readDue(nowMs: number, limit: number): readonly StoredState[] {
    this.flush()
    return this.#due.lists(nowMs, limit).map((row) => {
      const waiting = this.#held.get(seqOf(row)) ?? stateRowOf(row, this.#kinds)
      this.#held.addAhead(waiting)
      return waiting
    })
  }

  #readNextDueMs(): number | null {
    this.flush()
    return orNull(this.#nextDue.get()?.['acts_at_ms'])
  }

  ended(after: { readonly dueMs: number; readonly seq: number }, limit: number): readonly StoredState[] {
    this.flush()
    return this.#ended.lists(after.dueMs, after.dueMs, after.seq, limit).map((row) => this.#remember(row))
  }

  /** The first unconsumed states of one type that are relevant to this party, in log order. */
  relevant(type: string, limit: number): readonly StoredState[] {
    return this.#ofType(this.#relevant, type, 0, limit)
  }

  unconsumedAfter(type: string, afterSeq: number, limit: number): readonly StoredState[] {
    return this.#ofType(this.#unconsumed, type, afterSeq, limit)
  }

  #ofType(select: Statement, type: string, afterSeq: number, limit: number): readonly StoredState[] {
    this.flush()
    const found = this.#kinds
      .idsOfType(type)
      .flatMap((kind) => select.lists(kind, afterSeq, limit).map((row) => this.#remember(row)))
    return found.sort((a, b) => a.seq - b.seq).slice(0, limit)
  }

  /** Writes what the tick has changed. The rows stay in memory until the tick ends. */
  flush(): void {
    this.#transactions.flush()
    for (const row of this.#fresh) pushState(this.#insert.next(), row)
    this.#insert.flush()
    for (const row of this.#progressed) this.#writeProgress(row)
    for (const row of this.#changed) {
      this.#update.run(
        row.relevant ? 1 : 0,
        row.participants,
        row.key,
        row.untilRevision,
        row.consumedBy,
        row.standing,
        row.dueMs,
        row.actsAtMs,
        row.activity,
        row.attempt,
        row.error,
        row.note,
        row.cause,
        row.seq,
      )
    }
    this.#fresh.clear()
    this.#changed.clear()
    this.#progressed.clear()
  }

  #writeProgress(row: StoredState): void {
    // Most of them were consumed, which leaves nothing else to say.
    if (
      row.consumedBy !== null &&
      row.standing === null &&
      row.actsAtMs === null &&
      row.error === null &&
      row.note === null &&
      row.cause === null
    ) {
      this.#updateConsumed.run(row.untilRevision, row.consumedBy, row.attempt, row.seq)
      return
    }
    this.#updateProgress.run(
      row.untilRevision,
      row.consumedBy,
      row.standing,
      row.actsAtMs,
      row.attempt,
      row.error,
      row.note,
      row.cause,
      row.seq,
    )
  }

  committed(): void {
    // A row that was read ahead must be the very one that is found and changed, so those that were read ahead stay while
    // some of them wait for their turn; the others go by generations.
    if (this.#dueStates.isWaiting && this.#held.sizeAhead <= limits.rowsKeptAhead) {
      if (this.#held.size > limits.rowsKept) this.#held.age()
      return
    }
    if (this.#held.size + this.#held.sizeAhead <= limits.rowsKept) return
    this.#dueStates.forgetAhead()
    this.#held.clear()
  }

  /** After a part of a log was folded: what came with it stays for the next part, what came before goes. */
  committedFold(): void {
    this.#dueStates.forgetAhead()
    this.#held.age()
  }

  rolledBack(): void {
    this.#dueStates.forget()
    this.#held.clear()
    this.#fresh.clear()
    this.#changed.clear()
    this.#progressed.clear()
    this.#insert.clear()
    this.#nextSeq = this.#readNextSeq()
  }
}
