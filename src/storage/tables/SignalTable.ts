/**
 * The signals of flows. Flows that have continued as one another have them in common, under the first of them. Of one that was
 * taken its id is left, so that it counts once, also after the end of its flow; and of the last of a flow its number.
 */
import type { SignalRow } from '../../flow/SignalRow.js'
import type { ChildrenRead, Signals } from '../../flow/FlowTables.js'
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
    .prepare(
      `SELECT ${columns} FROM flow_signals WHERE taken = 0 AND flow_seq = coalesce((SELECT first_seq FROM flow_continuations WHERE flow_seq = ?), ?) ORDER BY seq`,
    )
    .lists(flowSeq, flowSeq)
    .map(rowOf)

export class SignalTable implements Signals {
  readonly #insert: Statement
  readonly #take: Statement
  readonly #drop: Statement
  readonly #delete: Statement
  readonly #close: Statement
  readonly #chains: Pick<ChildrenRead, 'firstOf'>
  readonly #next: Statement
  readonly #count: Statement
  readonly #last: Statement
  readonly #sent: Statement
  readonly #any: Statement
  /** False while there is no signal: then the end of a flow deletes nothing. */
  #mayHold: boolean

  constructor(db: Database, unit: UnitOfWork, chains: Pick<ChildrenRead, 'firstOf'>) {
    this.#chains = chains
    this.#insert = db.prepare(`INSERT INTO flow_signals (${columns}, taken) VALUES (?, ?, ?, ?, ?, ?, ?, 0)`)
    this.#take = db.prepare("UPDATE flow_signals SET taken = 1, data = '' WHERE flow_seq = ? AND seq = ?")
    this.#drop = db.prepare(
      'DELETE FROM flow_signals WHERE flow_seq = ? AND seq = ? AND taken = 1 AND id IS NULL AND EXISTS (SELECT 1 FROM flow_signals l WHERE l.flow_seq = ? AND l.seq > ?)',
    )
    this.#delete = db.prepare('DELETE FROM flow_signals WHERE flow_seq = ? AND id IS NULL')
    this.#close = db.prepare("UPDATE flow_signals SET taken = 1, data = '' WHERE flow_seq = ? AND taken = 0")
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
    const first = this.#chains.firstOf(flowSeq)
    this.#insert.run(first, seq, name, data, by, atMs, id)
    this.#drop.run(first, seq - 1, first, seq - 1)
  }

  take(flowSeq: number, seq: number): void {
    const first = this.#chains.firstOf(flowSeq)
    this.#take.run(first, seq)
    this.#drop.run(first, seq, first, seq)
  }

  endOf(flowSeq: number): void {
    if (!this.#mayHold) return
    const first = this.#chains.firstOf(flowSeq)
    this.#delete.run(first)
    this.#close.run(first)
    this.#mayHold = this.#readMayHold()
  }

  next(flowSeq: number, name: string): SignalRow | undefined {
    const [row] = this.#mayHold ? this.#next.lists(this.#chains.firstOf(flowSeq), name) : []
    return row === undefined ? undefined : rowOf(row)
  }

  countKept(flowSeq: number, limit: number): number {
    return this.#mayHold ? Number(this.#count.lists(this.#chains.firstOf(flowSeq), limit)[0]?.[0]) : 0
  }

  lastSeq(flowSeq: number): number {
    return this.#mayHold ? Number(this.#last.lists(this.#chains.firstOf(flowSeq))[0]?.[0] ?? 0) : 0
  }

  wasSent(flowSeq: number, id: string): boolean {
    return this.#mayHold && this.#sent.lists(this.#chains.firstOf(flowSeq), id).length > 0
  }
}
