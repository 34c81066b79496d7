/**
 * A look at what a party holds, whether its node runs or not: the same questions a node answers, put to its store.
 */
import { listFlows } from '../storage/queries/readFlows.js'
import type { FlowQuery, FlowSummary } from '../flow/FlowSummary.js'
import type { StateAndRef } from '../ledger/StateAndRef.js'
import type { StateDefinition } from '../ledger/StateDefinition.js'
import type { StateRef } from '../ledger/StateRef.js'
import { readKeptCheckpoints } from '../storage/tables/HeadTable.js'
import type { KeptCheckpoint } from '../log/NodeTables.js'
import { decodeEvent } from '../log/decodeEvent.js'
import type { DomainEvent } from '../log/events.js'
import type { EncodedTick } from '../log/Tick.js'
import type { TickStore } from '../storage/TickStore.js'
import { readAgenda } from '../storage/queries/readAgenda.js'
import { attemptsOf } from '../storage/queries/readOccurrences.js'
import type { AgendaEntry, AgendaQuery, Attempt } from '../agenda/AgendaEntry.js'
import type { Instant } from '../time/Instant.js'
import type { Page, VaultQuery } from '../vault/query/VaultQuery.js'
import { readStates, type StatesPage } from '../storage/queries/readStates.js'
import { findStateRow, queryVault } from '../storage/queries/readVault.js'
import type { VaultEntry } from '../vault/VaultEntry.js'

/** An event with its place in the log. */
export type LoggedEvent = { readonly revision: number; readonly at: Instant; readonly event: DomainEvent }

/** What a party holds, whether its node runs or not. `network.inspect('Ann')` and `virtual.inspect()` give one. */
export class NodeInspection {
  readonly #store: TickStore

  /** The node on the store must not be in the middle of a tick. */
  constructor(store: TickStore) {
    this.#store = store
  }

  /** A page of the vault, as recorded. */
  vault(query: VaultQuery = {}): Page<VaultEntry, string> {
    return queryVault(this.#store.reader, query)
  }

  /** The unconsumed states of one kind, decoded, oldest first: one page of them. */
  states<A>(definition: StateDefinition<A>, page: StatesPage = {}): readonly StateAndRef<A>[] {
    return readStates(this.#store.reader, definition, page)
  }

  /** What is to come, in order; or what is paused, started, or needs attention. */
  agenda(query: AgendaQuery = {}): Page<AgendaEntry, string> {
    return readAgenda(this.#store.reader, query)
  }

  /** A page of flows, newest first. */
  flows(query: FlowQuery = {}): Page<FlowSummary> {
    return listFlows(this.#store.reader, query)
  }

  /** Every attempt at a state's activity, with its outcome. */
  occurrences(ref: StateRef): readonly Attempt[] {
    const row = findStateRow(this.#store.reader, ref)
    return row === undefined ? [] : attemptsOf(this.#store.reader, row.seq)
  }

  /** The checkpoints that the party keeps of the logs of others. */
  keptCheckpoints(): readonly KeptCheckpoint[] {
    return readKeptCheckpoints(this.#store.reader)
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
