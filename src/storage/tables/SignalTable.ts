/**
 * The signals of flows that have not ended. One that was taken keeps its number and its id, and nothing else.
 */
import type { SignalRow } from '../../flow/SignalRow.js'
import type { Signals } from '../../flow/FlowTables.js'
import type { Database, SqlValue, Statement } from '../Database.js'
import type { UnitOfWork } from '../UnitOfWork.js'

export const signalsSchema = `
  CREATE TABLE IF NOT EXISTS flow_signals (
    flow_seq INTEGER NOT NULL, seq INTEGER NOT NULL, name TEXT NOT NULL, data TEXT NOT NULL, by TEXT NOT NULL,
    at_ms INTEGER NOT NULL, id TEXT, taken INTEGER NOT NULL, PRIMARY KEY (flow_seq, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS flow_signals_kept ON flow_signals (flow_seq, name, seq) WHERE taken = 0;
  CREATE INDEX IF NOT EXISTS flow_signals_sent ON flow_signals (flow_seq, id) WHERE id IS NOT NULL;
`

const columns = 'flow_seq, seq, name, data, by, at_ms, id'

const rowOf = ([flowSeq, seq, name, data, by, atMs, id]: readonly SqlValue[]): SignalRow => ({
  flowSeq: Number(flowSeq),
  seq: Number(seq),
  name: String(name),
  data: String(data),
  by: String(by),
  atMs: Number(atMs),
  id: typeof id === 'string' ? id : null,
})

/** The signals that a flow has not taken yet, in the order in which they came. */
export const keptSignals = (db: Database, flowSeq: number): readonly SignalRow[] =>
  db
    .prepare(`SELECT ${columns} FROM flow_signals WHERE flow_seq = ? AND taken = 0 ORDER BY seq`)
    .lists(flowSeq)
    .map(rowOf)

export class SignalTable implements Signals {
  readonly #insert: Statement
  readonly #take: Statement
  readonly #delete: Statement
  readonly #handOver: Statement
  readonly #next: Statement
  readonly #count: Statement
  readonly #last: Statement
  readonly #sent: Statement
  readonly #any: Statement
  /** False while there is no signal: then the end of a flow deletes nothing. */
  #mayHold: boolean

  constructor(db: Database, unit: UnitOfWork) {
    this.#insert = db.prepare(`INSERT INTO flow_signals (${columns}, taken) VALUES (?, ?, ?, ?, ?, ?, ?, 0)`)
    this.#take = db.prepare("UPDATE flow_signals SET taken = 1, data = '' WHERE flow_seq = ? AND seq = ?")
    this.#delete = db.prepare('DELETE FROM flow_signals WHERE flow_seq = ?')
    this.#handOver = db.prepare('UPDATE flow_signals SET flow_seq = ? WHERE flow_seq = ?')
    this.#next = db.prepare(
      `SELECT ${columns} FROM flow_signals WHERE flow_seq = ? AND name = ? AND taken = 0 ORDER BY seq LIMIT 1`,
    )
    this.#count = db.prepare(
      'SELECT count(*) FROM (SELECT 1 FROM flow_signals WHERE flow_seq = ? AND taken = 0 LIMIT ?)',
    )
    this.#last = db.prepare('SELECT seq FROM flow_signals WHERE flow_seq = ? ORDER BY seq DESC LIMIT 1')
    this.#sent = db.prepare('SELECT 1 FROM flow_signals WHERE flow_seq = ? AND id = ?')
    this.#any = db.prepare('SELECT 1 FROM flow_signals LIMIT 1')
    this.#mayHold = this.#readMayHold()
    unit.join({
      rolledBack: () => {
        this.#mayHold = this.#readMayHold()
      },
    })
  }

  #readMayHold(): boolean {
    return this.#any.lists().length > 0
  }

  insert({ flowSeq, seq, name, data, by, atMs, id }: SignalRow): void {
    this.#mayHold = true
    this.#insert.run(flowSeq, seq, name, data, by, atMs, id)
  }

  take(flowSeq: number, seq: number): void {
    this.#take.run(flowSeq, seq)
  }

  deleteOf(flowSeq: number): void {
    if (!this.#mayHold) return
    this.#delete.run(flowSeq)
    this.#mayHold = this.#readMayHold()
  }

  handOver(fromSeq: number, flowSeq: number): void {
    if (this.#mayHold) this.#handOver.run(flowSeq, fromSeq)
  }

  next(flowSeq: number, name: string): SignalRow | undefined {
    const [row] = this.#mayHold ? this.#next.lists(flowSeq, name) : []
    return row === undefined ? undefined : rowOf(row)
  }

  countKept(flowSeq: number, limit: number): number {
    return this.#mayHold ? Number(this.#count.lists(flowSeq, limit)[0]?.[0]) : 0
  }

  lastSeq(flowSeq: number): number {
    return this.#mayHold ? Number(this.#last.lists(flowSeq)[0]?.[0] ?? 0) : 0
  }

  wasSent(flowSeq: number, id: string): boolean {
    return this.#mayHold && this.#sent.lists(flowSeq, id).length > 0
  }
}
