/**
 * A look at what a party holds, whether its node runs or not: the same questions a node answers, put to its store.
 */
import { readKeptCheckpoints } from '../storage/tables/HeadTable.js'
import type { KeptCheckpoint } from '../log/NodeTables.js'
import { decodeEvent } from '../log/decodeEvent.js'
import type { DomainEvent } from '../log/events.js'
import type { EncodedTick } from '../log/Tick.js'
import type { Database } from '../storage/Database.js'
import { ViewQuestions } from '../storage/queries/ViewQuestions.js'
import type { TickStore } from '../storage/TickStore.js'
import type { Instant } from '../time/Instant.js'

/** An event with its place in the log. */
export type LoggedEvent = { readonly revision: number; readonly at: Instant; readonly event: DomainEvent }

/** What a party holds, whether its node runs or not. `network.inspect('Ann')` and `virtual.inspect()` give one. */
export class NodeInspection extends ViewQuestions {
  readonly #store: TickStore

  /** @internal The node on the store must not be in the middle of a tick. */
  constructor(store: TickStore) {
    super()
    this.#store = store
  }

  /** @internal */
  protected get db(): Database {
    return this.#store.reader
  }

  /** The checkpoints that the party keeps of the logs of others. */
  keptCheckpoints(): readonly KeptCheckpoint[] {
    return readKeptCheckpoints(this.db)
  }

  /** The log as it is kept. */
  ticks(fromRevision = 0): AsyncIterable<EncodedTick> {
    return this.#store.read(fromRevision)
  }

  /** Everything the log says, in order. */
  async log(): Promise<readonly LoggedEvent[]> {
    const events: LoggedEvent[] = []
    for await (const { events: lines, firstRevision, at } of this.ticks())
      lines.forEach((line, index) => {
        const revision = firstRevision + index
        events.push({ revision, at, event: decodeEvent(line, revision) })
      })
    return events
  }
}
