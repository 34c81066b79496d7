/**
 * Which flow has started which, and which has continued as which. A flow that was not started by another, and has continued
 * none, has no row.
 */
import type { ChildRow } from '../../flow/ChildRow.js'
import type { Children } from '../../flow/FlowTables.js'
import type { Database, SqlValue, Statement } from '../Database.js'
import type { UnitOfWork } from '../UnitOfWork.js'

export const childrenSchema = `
  CREATE TABLE IF NOT EXISTS flow_children (
    child_seq INTEGER PRIMARY KEY, parent_seq INTEGER NOT NULL, started_by_seq INTEGER NOT NULL, depth INTEGER NOT NULL,
    when_parent_ends TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS flow_children_of ON flow_children (parent_seq, child_seq);
  CREATE TABLE IF NOT EXISTS flow_continuations (
    flow_seq INTEGER PRIMARY KEY, from_seq INTEGER NOT NULL, first_seq INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS flow_continuations_of ON flow_continuations (from_seq);
  CREATE INDEX IF NOT EXISTS flow_continuations_since ON flow_continuations (first_seq, flow_seq);
`

const rowOf = ([childSeq, parentSeq, startedBySeq, depth, whenParentEnds]: readonly SqlValue[]): ChildRow => ({
  childSeq: Number(childSeq),
  parentSeq: Number(parentSeq),
  startedBySeq: Number(startedBySeq),
  depth: Number(depth),
  whenParentEnds: whenParentEnds === 'cancel' ? 'cancel' : 'leave',
})

const columns = 'child_seq, parent_seq, started_by_seq, depth, when_parent_ends'

export class ChildTable implements Children {
  readonly #insert: Statement
  readonly #find: Statement
  readonly #ofParent: Statement
  readonly #adopt: Statement
  readonly #continue: Statement
  readonly #first: Statement
  readonly #last: Statement
  readonly #any: Statement
  /** False while no flow has started or continued another: then nothing is looked up. */
  #mayHold: boolean

  constructor(db: Database, unit: UnitOfWork) {
    this.#insert = db.prepare(`INSERT INTO flow_children (${columns}) VALUES (?, ?, ?, ?, ?)`)
    this.#find = db.prepare(`SELECT ${columns} FROM flow_children WHERE child_seq = ?`)
    this.#ofParent = db.prepare(`SELECT ${columns} FROM flow_children WHERE parent_seq = ? ORDER BY child_seq`)
    this.#adopt = db.prepare('UPDATE flow_children SET parent_seq = ? WHERE parent_seq = ?')
    this.#continue = db.prepare('INSERT INTO flow_continuations (flow_seq, from_seq, first_seq) VALUES (?, ?, ?)')
    this.#first = db.prepare('SELECT first_seq FROM flow_continuations WHERE flow_seq = ?')
    this.#last = db.prepare(
      'SELECT flow_seq FROM flow_continuations WHERE first_seq = ? ORDER BY flow_seq DESC LIMIT 1',
    )
    this.#any = db.prepare('SELECT EXISTS (SELECT 1 FROM flow_children), EXISTS (SELECT 1 FROM flow_continuations)')
    this.#mayHold = this.#readMayHold()
    unit.join({
      rolledBack: () => {
        this.#mayHold = this.#readMayHold()
      },
    })
  }

  #readMayHold(): boolean {
    return this.#any.lists()[0]?.includes(1) === true
  }

  insert({ childSeq, parentSeq, startedBySeq, depth, whenParentEnds }: ChildRow): void {
    this.#mayHold = true
    this.#insert.run(childSeq, parentSeq, startedBySeq, depth, whenParentEnds)
  }

  of(childSeq: number): ChildRow | undefined {
    const [row] = this.#mayHold ? this.#find.lists(childSeq) : []
    return row === undefined ? undefined : rowOf(row)
  }

  depthOf(flowSeq: number): number {
    return this.of(flowSeq)?.depth ?? 0
  }

  ofParent(parentSeq: number): readonly ChildRow[] {
    return this.#mayHold ? this.#ofParent.lists(parentSeq).map(rowOf) : []
  }

  continueAs(fromSeq: number, flowSeq: number): void {
    this.#mayHold = true
    this.#continue.run(flowSeq, fromSeq, this.firstOf(fromSeq))
    this.#adopt.run(flowSeq, fromSeq)
  }

  firstOf(flowSeq: number): number {
    const [row] = this.#mayHold ? this.#first.lists(flowSeq) : []
    return row === undefined ? flowSeq : Number(row[0])
  }

  lastOf(flowSeq: number): number {
    const [row] = this.#mayHold ? this.#last.lists(this.firstOf(flowSeq)) : []
    return row === undefined ? flowSeq : Number(row[0])
  }
}
