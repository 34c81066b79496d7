/**
 * The rows of states that are in memory, each once: whoever finds a row finds the very one that others have changed.
 * Rows are evicted by generation, so that those of one large tick do not outlive the next, while a row that every
 * tick asks for stays.
 */
import type { StateRef } from '../../ledger/StateRef.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import type { UnitOfWork } from '../UnitOfWork.js'
import type { DueStates } from './DueStates.js'
import type { CachedRows } from './RowCache.js'
import type { StoredState } from './StoredState.js'

const typedKey = (type: string, key: string): string => `${type} ${key}`

/** Rows of one age, by number and by ref: a due state is not looked up by its random id again. */
class Generation {
  readonly bySeq = new Map<number, StoredState>()
  readonly byRef = new Map<TransactionId, StoredState[]>()
  /** Rows that were made, by type and key, the newest of each. */
  readonly byKey = new Map<string, StoredState>()

  add(row: StoredState): void {
    this.bySeq.set(row.seq, row)
    const outputs = this.byRef.get(row.ref.transaction)
    if (outputs !== undefined) outputs[row.ref.index] = row
    else if (row.ref.index === 0) this.byRef.set(row.ref.transaction, [row])
    else {
      const placed: StoredState[] = []
      placed[row.ref.index] = row
      this.byRef.set(row.ref.transaction, placed)
    }
  }
}

export class StateCache implements CachedRows<StoredState> {
  readonly #unit: UnitOfWork
  readonly #due: DueStates
  /** Made, read or asked for in this tick. */
  #now = new Generation()
  /** Those of the tick before, if it was a large one. */
  #before = new Generation()
  /** Read ahead: they wait for their turn, however many ticks that takes. */
  #ahead = new Generation()

  constructor(unit: UnitOfWork, due: DueStates) {
    this.#unit = unit
    this.#due = due
  }

  /** How many rows are held that nothing waits for. */
  get #size(): number {
    return this.#now.bySeq.size + this.#before.bySeq.size
  }

  get(seq: number): StoredState | undefined {
    return this.#now.bySeq.get(seq) ?? this.#ahead.bySeq.get(seq) ?? this.#keep(this.#before.bySeq.get(seq))
  }

  find({ transaction, index }: StateRef): StoredState | undefined {
    return (
      this.#now.byRef.get(transaction)?.[index] ??
      this.#ahead.byRef.get(transaction)?.[index] ??
      this.#keep(this.#before.byRef.get(transaction)?.[index])
    )
  }

  /** The newest state of a type that was made with a key, of those made lately. */
  newest(type: string, key: string): StoredState | undefined {
    const text = typedKey(type, key)
    return this.#now.byKey.get(text) ?? this.#before.byKey.get(text)
  }

  /** Holds a row that was read. */
  add(row: StoredState): void {
    this.#now.add(row)
  }

  /** Holds a row that was made. */
  addFresh(row: StoredState): void {
    this.#now.add(row)
    this.noteKey(row)
  }

  /** A row has its key from now on: it is found by it before it is written. */
  noteKey(row: StoredState): void {
    if (row.key !== null) this.#now.byKey.set(typedKey(row.kind.type, row.key), row)
  }

  /** Holds a row until all that were read ahead are let go. */
  addAhead(row: StoredState): void {
    this.#ahead.add(row)
  }

  /**
   * A row that was read ahead must be the very one that is found and changed, so those that were read ahead stay while
   * some of them wait for their turn; the others are evicted by generation.
   */
  committed(isFolding: boolean): void {
    const sizeAhead = this.#ahead.bySeq.size
    if (isFolding) {
      this.#due.forgetAhead()
      this.#age()
    } else if (this.#due.isWaiting && sizeAhead <= this.#unit.limits.rowsKeptAhead) {
      if (this.#size > this.#unit.limits.rowsKept) this.#age()
    } else if (this.#size + sizeAhead > this.#unit.limits.rowsKept) {
      this.#unit.evictions += 1
      this.#due.forgetAhead()
      this.#clear()
    }
  }

  /** What was noted of rows that are gone is gone with them. */
  clear(): void {
    this.#due.forget()
    this.#clear()
  }

  /** Evicts what no tick has asked for since the last call. */
  #age(): void {
    this.#before = this.#now
    this.#now = new Generation()
  }

  #clear(): void {
    this.#now = new Generation()
    this.#before = new Generation()
    this.#ahead = new Generation()
  }

  #keep(row: StoredState | undefined): StoredState | undefined {
    if (row !== undefined) this.#now.add(row)
    return row
  }
}
