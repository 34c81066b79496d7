/**
 * Holds what a killed node left behind against the model, as the next start will find it: the ticks that are new since
 * the last look, and the rows that have changed with them.
 */
import { SqliteLog } from '../../src/logs/sqlite/SqliteLog.js'
import { openDatabase } from '../../src/storage/sqlite/openDatabase.js'
import { ModelWatch } from '../../src/testing/model/ModelWatch.js'

export class StoreAgainstModel {
  readonly #watch: ModelWatch
  #nextRevision = 0
  /** How often the store was looked at. */
  looks = 0

  /** `limits` of the node that differ from their defaults. */
  constructor(limits: ConstructorParameters<typeof ModelWatch>[0] = {}) {
    this.#watch = new ModelWatch(limits)
  }

  /** Where the node differs from the model, one sentence each. */
  get differences(): readonly string[] {
    return [...this.#watch.ticks, ...this.#watch.views]
  }

  /** Looks at a store that no node has open. `whole` compares every row, not only those that have changed. */
  async look(database: string, whole = false): Promise<void> {
    const log = SqliteLog.openReadOnly(database)
    const db = openDatabase(database, { readOnly: true })
    try {
      for await (const tick of log.read(this.#nextRevision)) {
        this.#watch.take(tick)
        this.#nextRevision = tick.firstRevision + tick.events.length
      }
      if (whole) this.#watch.compareAll(db)
      else this.#watch.compareChanged(db)
      this.looks += 1
    } finally {
      db.close()
      await log.close()
    }
  }
}
