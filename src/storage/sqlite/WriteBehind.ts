/**
 * A connection whose transactions are written at their end. Until something is read that they might have changed, writes
 * are only gathered, so that a whole transaction can be handed to a thread and the next one begun while it is carried out.
 * Every read sees every write before it: whoever reads waits for the thread and for what was gathered, as if each write
 * had been carried out at once.
 */
import { NodeFault } from '../../errors/CarillonError.js'
import type { Database, SqlRow, SqlValue, Statement } from '../Database.js'
import { carryOutOn, undo } from './carryOutOn.js'
import type { CommitWorker, Guard, WorkerOutcome, Write } from './CommitWorker.js'
import { storeFailure } from './storeFailure.js'

/** A transaction that a thread carries out. */
export type PendingWrite = {
  /** What became of it; waits for that, without giving way to anything else. */
  readonly outcome: () => WorkerOutcome
  /** Calls back once that is known. */
  readonly whenDone: (callback: () => void) => void
}

type UnderWay = { outcome?: WorkerOutcome; readonly waits: (() => void)[] }

const isWrite = (sql: string): boolean => /^\s*(?:INSERT|UPDATE|DELETE|REPLACE)\b/i.test(sql)

/** A statement that reads, after what it must see. */
class ReadStatement implements Statement {
  readonly #behind: WriteBehind
  readonly #statement: Statement

  constructor(behind: WriteBehind, statement: Statement) {
    this.#behind = behind
    this.#statement = statement
  }

  run(...values: readonly SqlValue[]): void {
    this.#behind.catchUp()
    this.#statement.run(...values)
  }

  runList(values: SqlValue[]): void {
    this.#behind.catchUp()
    this.#statement.runList(values)
  }

  lists(...values: readonly SqlValue[]): readonly (readonly SqlValue[])[] {
    this.#behind.catchUp()
    return this.#statement.lists(...values)
  }

  get(...values: readonly SqlValue[]): SqlRow | undefined {
    this.#behind.catchUp()
    return this.#statement.get(...values)
  }

  all(...values: readonly SqlValue[]): readonly SqlRow[] {
    this.#behind.catchUp()
    return this.#statement.all(...values)
  }

  iterate(...values: readonly SqlValue[]): IterableIterator<SqlRow> {
    this.#behind.catchUp()
    return this.#statement.iterate(...values)
  }
}

export class WriteBehind implements Database {
  readonly #db: Database
  readonly #file: string
  readonly #worker: CommitWorker | undefined
  readonly #begin: Statement
  readonly #commit: Statement
  /** Statements that write, by their places; the thread keeps the same list. */
  readonly #sqls: string[] = []
  readonly #statements: Statement[] = []
  readonly #places = new Map<string, number>()
  /** By the statement of the connection, which prepares each only once. */
  readonly #prepared = new WeakMap<Statement, Statement>()
  #mode: 'none' | 'gathering' | 'open' = 'none'
  #gathered: Write[] = []
  #underWay: UnderWay | undefined

  /** Without a worker, nothing can be handed over. `file` is named in errors. */
  constructor(db: Database, worker?: CommitWorker, file = ':memory:') {
    this.#db = db
    this.#file = file
    this.#worker = worker
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
  }

  readonly prepare = (sql: string): Statement => {
    const statement = this.#db.prepare(sql)
    const known = this.#prepared.get(statement)
    if (known !== undefined) return known
    const prepared = isWrite(sql) ? this.#writing(sql, statement) : new ReadStatement(this, statement)
    this.#prepared.set(statement, prepared)
    return prepared
  }

  #writing(sql: string, statement: Statement): Statement {
    const place = this.#placeOf(sql, statement)
    const write = (values: SqlValue[]): boolean => {
      if (this.#mode !== 'gathering') {
        this.#settle()
        return false
      }
      this.#gathered.push({ statement: place, values })
      return true
    }
    return {
      ...statement,
      run: (...values: SqlValue[]) => {
        if (!write(values)) statement.run(...values)
      },
      runList: (values) => {
        if (!write(values)) statement.runList(values)
      },
    }
  }

  readonly exec = (sql: string): void => {
    this.catchUp()
    this.#db.exec(sql)
  }

  readonly close = (): void => {
    this.#db.close()
  }

  /** Whether the transaction is being written on this connection, because something was read since it began. */
  get isOpen(): boolean {
    return this.#mode === 'open'
  }

  begin(): void {
    this.#mode = 'gathering'
  }

  /** From here on the transaction is written on this connection. */
  open(): void {
    if (this.#mode === 'open') return
    this.#settle()
    this.#begin.run()
    this.#mode = 'open'
    const gathered = this.#gathered
    this.#gathered = []
    for (const { statement, values } of gathered) this.#statements[statement]?.runList(values)
  }

  /** Ends the transaction, durably. */
  commit(): void {
    this.open()
    this.#commit.run()
    this.#mode = 'none'
  }

  rollback(): void {
    const wasOpen = this.#mode === 'open'
    this.#mode = 'none'
    this.#gathered = []
    if (wasOpen) undo(this.#db)
  }

  /** Whether the transaction can be handed over as it stands. */
  canHandOver(): boolean {
    return this.#mode === 'gathering' && this.#worker?.isReady() === true
  }

  /** Whether the transaction, if it were handed over now, would be carried out at once. */
  isWriterIdle(): boolean {
    return this.#mode === 'gathering' && this.#worker?.isWriterIdle() === true
  }

  /** Gives the transaction to the thread; this connection is ready for the next. */
  handOver(guard: Guard): PendingWrite {
    this.#settle()
    const commit: UnderWay = { waits: [] }
    this.#underWay = commit
    const gathered = this.#gathered
    this.#gathered = []
    this.#mode = 'none'
    this.#worker?.carryOut(guard, gathered, this.#sqls, (outcome) => {
      commit.outcome =
        outcome.kind === 'gone' ? carryOutOn(this.#db, guard, gathered, (place) => this.#statements[place]) : outcome
      // Never at once: someone may just have waited for it in the middle of something else.
      for (const tell of commit.waits) setImmediate(tell)
    })
    return {
      outcome: () => {
        if (commit.outcome === undefined) this.#worker?.await()
        if (this.#underWay === commit) this.#underWay = undefined
        return commit.outcome ?? { kind: 'failed', error: new Error('The thread has given no answer.') }
      },
      whenDone: (callback) => {
        if (commit.outcome === undefined) commit.waits.push(callback)
        else setImmediate(callback)
      },
    }
  }

  /** Carries out what a read might have to see. */
  catchUp(): void {
    if (this.#mode === 'gathering' && this.#gathered.length > 0) this.open()
    else this.#settle()
  }

  /** Forgets everything that was in memory only, as the next process would. */
  forget(): void {
    this.rollback()
    this.#underWay = undefined
  }

  /** Resolves when the thread has let go of the file. */
  async stopThread(): Promise<void> {
    if (this.#underWay !== undefined && this.#underWay.outcome === undefined) this.#worker?.await()
    await this.#worker?.stop()
  }

  /** Waits for the thread. What was begun upon a transaction that failed must not go on; what only looks on may. */
  #settle(): void {
    const commit = this.#underWay
    if (commit === undefined) return
    if (commit.outcome === undefined) this.#worker?.await()
    const { outcome } = commit
    if (outcome?.kind !== 'committed' && this.#mode === 'none') return
    if (outcome?.kind === 'failed') throw storeFailure(outcome.error, this.#file)
    if (outcome?.kind === 'refused')
      throw new NodeFault('log-revision-conflict', `Another process has appended to ${this.#file}.`, {
        file: this.#file,
      })
    this.#underWay = undefined
  }

  #placeOf(sql: string, statement: Statement): number {
    const known = this.#places.get(sql)
    if (known !== undefined) return known
    const place = this.#sqls.push(sql) - 1
    this.#statements.push(statement)
    this.#places.set(sql, place)
    return place
  }
}
