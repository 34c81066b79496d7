/**
 * The states of the vault with their activities. A state that is produced, scheduled and consumed in one tick costs a
 * single row and never meets the agenda.
 */
import type { Activities } from '../../agenda/AgendaTables.js'
import { assertInvariant } from '../../errors/CarillonError.js'
import { sameRef, type StateRef } from '../../ledger/StateRef.js'
import type { FlowId } from '../../log/FlowId.js'
import type { NewState } from '../../vault/StateRow.js'
import type { States } from '../../vault/VaultTables.js'
import type { Database, Statement } from '../Database.js'
import type { UnitOfWork } from '../UnitOfWork.js'
import { DueStates } from './DueStates.js'
import { StateCache } from './StateCache.js'
import { changes, emptied, ownColumns, stateColumns, stateRowOf, valuesOf } from './stateColumns.js'
import type { StateTypeTable } from './StateTypeTable.js'
import { newState, type StoredState } from './StoredState.js'
import { Table } from './Table.js'
import type { TransactionTable } from './TransactionTable.js'

const select = `SELECT ${stateColumns} FROM states s JOIN transactions t ON t.seq = s.transaction_seq`

/** The set of columns that change while a state lives; see `changes`. */
const progressed = 0

export class StateTable implements States, Activities {
  readonly #kinds: StateTypeTable
  readonly #transactions: TransactionTable
  /** The state whose activity started a flow, by sequence number. */
  readonly #stateOfFlow: (flow: FlowId) => number | undefined
  readonly #table: Table<StoredState>
  readonly #cache: StateCache
  readonly #dueStates: DueStates
  readonly #due: Statement
  readonly #nextDue: Statement
  readonly #ended: Statement
  readonly #unconsumed: Statement
  readonly #keyed: Statement

  constructor(
    db: Database,
    unit: UnitOfWork,
    kinds: StateTypeTable,
    transactions: TransactionTable,
    stateOfFlow: (flow: FlowId) => number | undefined,
  ) {
    this.#kinds = kinds
    this.#transactions = transactions
    this.#stateOfFlow = stateOfFlow
    this.#due = db.prepare(`${select} WHERE s.acts_at_ms <= ? ORDER BY s.acts_at_ms, s.seq LIMIT ?`)
    this.#nextDue = db.prepare('SELECT acts_at_ms FROM states WHERE acts_at_ms IS NOT NULL ORDER BY acts_at_ms LIMIT 1')
    this.#ended = db.prepare(
      `${select} WHERE s.standing = 'ended' AND (s.due_ms > ? OR (s.due_ms = ? AND s.seq > ?)) ORDER BY s.due_ms, s.seq LIMIT ?`,
    )
    this.#unconsumed = db.prepare(
      `${select} WHERE s.kind = ? AND s.until_revision IS NULL AND s.seq > ? ORDER BY s.seq LIMIT ?`,
    )
    this.#keyed = db.prepare(
      `${select} WHERE s.kind = ? AND s.key = ? AND s.until_revision IS NULL AND s.relevant = 1 ORDER BY s.seq`,
    )
    this.#dueStates = new DueStates(unit.limits, {
      due: (nowMs, limit) => this.#readDue(nowMs, limit),
      nextMs: () => this.#readNextDueMs(),
      isUnchanged: () => this.#table.isUnchanged,
    })
    this.#cache = new StateCache(unit, this.#dueStates)
    const read: (values: Parameters<typeof stateRowOf>[0]) => StoredState = (values) => stateRowOf(values, kinds)
    this.#table = new Table(
      db,
      unit,
      { name: 'states', columns: ownColumns, changes, emptied, select, read, values: valuesOf },
      this.#cache,
    )
  }

  get nextSeq(): number {
    return this.#table.nextSeq
  }

  insert(state: NewState): StoredState {
    const row = newState(state)
    this.#table.insert(row)
    return row
  }

  touch(row: StoredState): void {
    this.#dueStates.noteChange(row)
    this.#cache.noteKey(row)
    this.#table.touch(row)
  }

  progress(row: StoredState): void {
    this.#dueStates.noteChange(row)
    this.#table.touch(row, progressed)
  }

  get(seq: number): StoredState {
    const row = this.#table.get(seq)
    assertInvariant(row !== undefined, `there is no state with sequence number ${seq}`)
    return row
  }

  find(ref: StateRef): StoredState | undefined {
    const known = this.#cache.find(ref)
    if (known !== undefined) return known
    const transaction = this.#transactions.find(ref.transaction)
    const isPlace = Number.isSafeInteger(ref.index) && ref.index >= 0
    if (transaction === undefined || !isPlace || ref.index >= transaction.outputs) return undefined
    const row = this.get(transaction.firstState + ref.index)
    assertInvariant(sameRef(row.ref, ref), `state ${row.seq} is not the output it should be`)
    return row
  }

  ofFlow(flow: FlowId): StoredState | undefined {
    const seq = this.#stateOfFlow(flow)
    return seq === undefined ? undefined : this.get(seq)
  }

  withKey(type: string, key: string): StoredState | undefined {
    const holds = (row: StoredState): boolean => row.untilRevision === null && row.key === key && row.relevant
    const recent = this.#cache.newest(type, key)
    if (recent !== undefined && holds(recent)) return recent
    // Read from the database it is as the tick found it; in memory it is as the tick has left it so far.
    const found = this.#kinds
      .idsOfType(type)
      .flatMap((kind) => this.#keyed.lists(kind, key).map(this.#table.hold))
      .filter(holds)
    // Logs of earlier versions may hold a key twice; it belongs to the first state in log order.
    return found.sort((a, b) => a.seq - b.seq)[0]
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
    return this.#due.lists(nowMs, limit).map((values) => {
      const waiting = this.#cache.get(Number(values[0])) ?? stateRowOf(values, this.#kinds)
      this.#cache.addAhead(waiting)
      return waiting
    })
  }

  #readNextDueMs(): number | null {
    this.flush()
    const actsAtMs = this.#nextDue.lists()[0]?.[0]
    return typeof actsAtMs === 'number' ? actsAtMs : null
  }

  ended(after: { readonly dueMs: number; readonly seq: number }, limit: number): readonly StoredState[] {
    this.flush()
    return this.#ended.lists(after.dueMs, after.dueMs, after.seq, limit).map(this.#table.hold)
  }

  unconsumedAfter(type: string, afterSeq: number, limit: number): readonly StoredState[] {
    this.flush()
    const found = this.#kinds
      .idsOfType(type)
      .flatMap((kind) => this.#unconsumed.lists(kind, afterSeq, limit).map(this.#table.hold))
    return found.sort((a, b) => a.seq - b.seq).slice(0, limit)
  }

  /** Writes what the tick has changed so far, so that it can be asked for. */
  flush(): void {
    this.#transactions.flush()
    this.#table.flush()
  }
}
