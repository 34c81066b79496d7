/**
 * Which flows wait for what, found by what they wait for. In memory is only what kinds of things are waited for, so that
 * recording anything else looks nothing up.
 */
import type { WaitIndex } from '../../flow/FlowTables.js'
import type { WaitKey } from '../../flow/WaitKey.js'
import type { Database, Statement } from '../Database.js'
import type { UnitOfWork } from '../UnitOfWork.js'

export const waitsSchema = `
  CREATE TABLE IF NOT EXISTS flow_waits (
    topic TEXT NOT NULL, fields TEXT NOT NULL, value TEXT NOT NULL, flow_seq INTEGER NOT NULL,
    PRIMARY KEY (topic, fields, value, flow_seq)
  ) STRICT, WITHOUT ROWID;
`

export class WaitTable implements WaitIndex {
  /** How many waits there are for each topic and its sets of fields. */
  readonly #counts = new Map<string, Map<string, number>>()
  readonly #count: Statement
  readonly #insert: Statement
  readonly #delete: Statement
  readonly #flows: Statement

  constructor(db: Database, unit: UnitOfWork) {
    this.#count = db.prepare('SELECT topic, fields, count(*) FROM flow_waits GROUP BY topic, fields')
    this.#insert = db.prepare('INSERT INTO flow_waits (topic, fields, value, flow_seq) VALUES (?, ?, ?, ?)')
    this.#delete = db.prepare('DELETE FROM flow_waits WHERE topic = ? AND fields = ? AND value = ? AND flow_seq = ?')
    this.#flows = db.prepare(
      'SELECT flow_seq FROM flow_waits WHERE topic = ? AND fields = ? AND value = ? ORDER BY flow_seq',
    )
    this.#readCounts()
    unit.join({
      rolledBack: () => {
        this.#readCounts()
      },
    })
  }

  #readCounts(): void {
    this.#counts.clear()
    for (const [topic, fields, count] of this.#count.lists()) this.#add(String(topic), String(fields), Number(count))
  }

  #add(topic: string, fields: string, change: number): void {
    const counts = this.#counts.get(topic) ?? new Map<string, number>()
    const count = (counts.get(fields) ?? 0) + change
    if (count > 0) counts.set(fields, count)
    else counts.delete(fields)
    if (counts.size > 0) this.#counts.set(topic, counts)
    else this.#counts.delete(topic)
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0
  }

  fieldsOf(topic: string): readonly string[] {
    const counts = this.#counts.get(topic)
    return counts === undefined ? [] : [...counts.keys()].sort()
  }

  flowsAt({ topic, fields, value }: WaitKey): readonly number[] {
    if (this.#counts.get(topic)?.has(fields) !== true) return []
    return this.#flows.lists(topic, fields, value).map(([seq]) => Number(seq))
  }

  insert({ topic, fields, value }: WaitKey, flowSeq: number): void {
    this.#insert.run(topic, fields, value, flowSeq)
    this.#add(topic, fields, 1)
  }

  remove({ topic, fields, value }: WaitKey, flowSeq: number): void {
    this.#delete.run(topic, fields, value, flowSeq)
    this.#add(topic, fields, -1)
  }
}
