/**
 * States whose flow completed and left them unconsumed, and from when on that needs attention. An entry ends when the state
 * is consumed or its flow starts again; what became of the activity otherwise, its own row tells.
 */
import type { Unconsumed } from '../../agenda/AgendaTables.js'
import type { Database, Statement } from '../Database.js'
import type { UnitOfWork } from '../UnitOfWork.js'

export const unconsumedSchema = `
  CREATE TABLE IF NOT EXISTS unconsumed (state_seq INTEGER PRIMARY KEY, attention_at_ms INTEGER NOT NULL) STRICT;
`

export class UnconsumedTable implements Unconsumed {
  readonly #set: Statement
  readonly #delete: Statement
  readonly #any: Statement
  /** False while there is certainly no entry: then consuming a state and starting a flow look nothing up. */
  #mayHold: boolean

  constructor(db: Database, unit: UnitOfWork) {
    this.#set = db.prepare('INSERT OR REPLACE INTO unconsumed (state_seq, attention_at_ms) VALUES (?, ?)')
    this.#delete = db.prepare('DELETE FROM unconsumed WHERE state_seq = ?')
    this.#any = db.prepare('SELECT 1 AS held FROM unconsumed LIMIT 1')
    this.#mayHold = this.#readMayHold()
    unit.join({
      rolledBack: () => {
        this.#mayHold = this.#readMayHold()
      },
    })
  }

  #readMayHold(): boolean {
    return this.#any.get() !== undefined
  }

  set(stateSeq: number, attentionAtMs: number): void {
    this.#mayHold = true
    this.#set.run(stateSeq, attentionAtMs)
  }

  remove(stateSeq: number): void {
    if (this.#mayHold) this.#delete.run(stateSeq)
  }
}
