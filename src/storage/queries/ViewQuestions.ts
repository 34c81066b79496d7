/**
 * What views can be asked outside a tick, whoever holds them: a store, or a fold up to a moment of the past.
 */
import type { AgendaEntry, AgendaQuery, Attempt } from '../../agenda/AgendaEntry.js'
import type { FlowQuery, FlowSummary } from '../../flow/FlowSummary.js'
import type { StateAndRef } from '../../ledger/StateAndRef.js'
import type { StateDefinition } from '../../ledger/StateDefinition.js'
import type { StateRef } from '../../ledger/StateRef.js'
import type { Page, VaultQuery } from '../../vault/query/VaultQuery.js'
import type { VaultEntry } from '../../vault/VaultEntry.js'
import type { Database } from '../Database.js'
import { readAgenda } from './readAgenda.js'
import { listFlows } from './readFlows.js'
import { attemptsOf } from './readOccurrences.js'
import { readStates, type StatesPage } from './readStates.js'
import { findStateRow, queryVault } from './readVault.js'

/** The questions that views answer. */
export abstract class ViewQuestions {
  /** @internal The views as they are when a question is asked. */
  protected abstract get db(): Database

  /** A page of the vault, as recorded. */
  vault(query: VaultQuery = {}): Page<VaultEntry, string> {
    return queryVault(this.db, query)
  }

  /** The unconsumed states of one kind, decoded, oldest first: one page of them. */
  states<A>(definition: StateDefinition<A>, page: StatesPage = {}): readonly StateAndRef<A>[] {
    return readStates(this.db, definition, page)
  }

  /** What is to come, in order; or what is paused, started, or needs attention. */
  agenda(query: AgendaQuery = {}): Page<AgendaEntry, string> {
    return readAgenda(this.db, query)
  }

  /** A page of flows, newest first. */
  flows(query: FlowQuery = {}): Page<FlowSummary> {
    return listFlows(this.db, query)
  }

  /** Every attempt at a state's activity, with its outcome. */
  occurrences(ref: StateRef): readonly Attempt[] {
    const row = findStateRow(this.db, ref)
    return row === undefined ? [] : attemptsOf(this.db, row.seq)
  }
}
