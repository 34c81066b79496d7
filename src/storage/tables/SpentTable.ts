/**
 * What a notary has seen consumed, and by which transaction.
 */
import type { StateRef } from '../../ledger/StateRef.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import type { Spent } from '../../notary/NotaryTables.js'
import type { Database, Statement } from '../Database.js'
import { HashIndex, hashIndexSchema } from './HashIndex.js'

export const spentSchema = `
  CREATE TABLE IF NOT EXISTS notarised (seq INTEGER PRIMARY KEY, id TEXT NOT NULL, revision INTEGER NOT NULL, caller TEXT NOT NULL) STRICT;
  ${hashIndexSchema('notarised')}
  CREATE TABLE IF NOT EXISTS spent (seq INTEGER PRIMARY KEY, id TEXT NOT NULL, by_seq INTEGER NOT NULL) STRICT;
  ${hashIndexSchema('spent')}
`

const keyOf = (ref: StateRef): string => `${ref.transaction}:${ref.index}`

export class SpentTable implements Spent {
  readonly #notarisedIndex: HashIndex
  readonly #spentIndex: HashIndex
  readonly #insertNotarised: Statement
  readonly #insertSpent: Statement
  readonly #consumer: Statement
  readonly #lastNotarised: Statement
  readonly #lastSpent: Statement
  #nextNotarised: number
  #nextSpent: number

  constructor(db: Database) {
    this.#insertNotarised = db.prepare('INSERT INTO notarised (seq, id, revision, caller) VALUES (?, ?, ?, ?)')
    this.#insertSpent = db.prepare('INSERT INTO spent (seq, id, by_seq) VALUES (?, ?, ?)')
    this.#consumer = db.prepare('SELECT n.id AS id FROM spent s JOIN notarised n ON n.seq = s.by_seq WHERE s.seq = ?')
    this.#lastNotarised = db.prepare('SELECT max(seq) AS seq FROM notarised')
    this.#lastSpent = db.prepare('SELECT max(seq) AS seq FROM spent')
    this.#notarisedIndex = new HashIndex(db, 'notarised')
    this.#spentIndex = new HashIndex(db, 'spent')
    this.#nextNotarised = this.#next(this.#lastNotarised)
    this.#nextSpent = this.#next(this.#lastSpent)
  }

  #next(last: Statement): number {
    return Number(last.get()?.['seq'] ?? 0) + 1
  }

  isNotarised(id: TransactionId): boolean {
    return this.#notarisedIndex.find(id) !== undefined
  }

  consumerOf(ref: StateRef): TransactionId | undefined {
    // Most nodes are notaries to nobody, and should not pay for looking.
    if (this.#nextSpent === 1) return undefined
    const seq = this.#spentIndex.find(keyOf(ref))
    return seq === undefined ? undefined : (String(this.#consumer.get(seq)?.['id']) as TransactionId)
  }

  insert(id: TransactionId, inputs: readonly StateRef[], caller: string, revision: number): void {
    const seq = this.#nextNotarised
    this.#nextNotarised += 1
    this.#insertNotarised.run(seq, id, revision, caller)
    this.#notarisedIndex.add(id, seq)
    for (const ref of inputs) {
      this.#insertSpent.run(this.#nextSpent, keyOf(ref), seq)
      this.#spentIndex.add(keyOf(ref), this.#nextSpent)
      this.#nextSpent += 1
    }
  }

  closeTick(): void {
    this.#notarisedIndex.closeTick()
    this.#spentIndex.closeTick()
  }

  committed(): void {
    this.#notarisedIndex.committed()
    this.#spentIndex.committed()
  }

  rolledBack(): void {
    this.#notarisedIndex.rolledBack()
    this.#spentIndex.rolledBack()
    this.#nextNotarised = this.#next(this.#lastNotarised)
    this.#nextSpent = this.#next(this.#lastSpent)
  }

  /** After ticks that were taken to stand do not. */
  reload(): void {
    this.#notarisedIndex.reload()
    this.#spentIndex.reload()
  }
}
