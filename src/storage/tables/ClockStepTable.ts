/**
 * Where the clock stood still or went back between two transactions. Between two such places log order is the order
 * of time, so a stretch of time is found in the log by halving; usually there is no such place at all.
 */
import type { ClockSteps } from '../../vault/VaultTables.js'
import type { UnitOfWork } from '../UnitOfWork.js'
import type { Database, Statement } from '../Database.js'

export const clockStepsSchema = `
  CREATE TABLE IF NOT EXISTS clock_steps (transaction_seq INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL) STRICT;
`

export class ClockStepTable implements ClockSteps {
  readonly #last: Statement
  readonly #insert: Statement
  #lastMs: number

  constructor(db: Database, unit: UnitOfWork) {
    this.#last = db.prepare('SELECT at_ms FROM transactions ORDER BY seq DESC LIMIT 1')
    this.#insert = db.prepare('INSERT INTO clock_steps (transaction_seq, at_ms) VALUES (?, ?)')
    this.#lastMs = this.#read()
    unit.join({
      rolledBack: () => {
        this.#lastMs = this.#read()
      },
    })
  }

  #read(): number {
    return Number(this.#last.get()?.['at_ms'] ?? Number.MIN_SAFE_INTEGER)
  }

  observe(transactionSeq: number, atMs: number): void {
    if (atMs < this.#lastMs) this.#insert.run(transactionSeq, atMs)
    this.#lastMs = atMs
  }
}

/** The first number from `low` up to before `high` for which a condition holds that stays true once it is; else `high`. */
const firstWhere = (low: number, high: number, holds: (seq: number) => boolean): number => {
  let from = low
  let until = high
  while (from < until) {
    const middle = Math.floor((from + until) / 2)
    if (holds(middle)) until = middle
    else from = middle + 1
  }
  return from
}

/** Sequence numbers of transactions from the first up to before the second: all of a time span are among them. */
export type TransactionRange = { readonly from: number; readonly before: number }

/** Where in the log a span of time lies. With a clock that stepped back, others may lie in between. */
export const transactionsBetween = (
  db: Database,
  { fromMs, untilMs }: { readonly fromMs: number | undefined; readonly untilMs: number | undefined },
): TransactionRange => {
  const at = db.prepare('SELECT at_ms FROM transactions WHERE seq = ?')
  const atMs = (seq: number): number => Number(at.get(seq)?.['at_ms'])
  const end = Number(db.prepare('SELECT max(seq) AS seq FROM transactions').get()?.['seq'] ?? 0) + 1
  const starts = db.prepare('SELECT transaction_seq FROM clock_steps ORDER BY transaction_seq').all()
  const bounds = [1, ...starts.map((row) => Number(row['transaction_seq'])), end]
  const eras = bounds.slice(0, -1).map((from, index) => ({ from, before: bounds[index + 1] ?? end }))
  const full = eras.filter(({ from, before }) => from < before)
  let from = 1
  if (fromMs !== undefined) {
    const era = full.find(({ before }) => atMs(before - 1) >= fromMs)
    from = era === undefined ? end : firstWhere(era.from, era.before, (seq) => atMs(seq) >= fromMs)
  }
  let before = end
  if (untilMs !== undefined) {
    const era = full.findLast((each) => atMs(each.from) < untilMs)
    before = era === undefined ? from : firstWhere(era.from, era.before, (seq) => atMs(seq) >= untilMs)
  }
  return { from, before }
}
