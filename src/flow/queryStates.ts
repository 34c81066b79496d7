/**
 * The states a flow asks for. A query in a flow is always bounded.
 */
import type { FlowReads } from './FlowReads.js'
import { CarillonError } from '../errors/CarillonError.js'
import { flowLimits } from './limits.js'
import type { AnyStateDefinition } from '../ledger/StateDefinition.js'
import { parseRef, showRef } from '../ledger/StateRef.js'
import { assertFields } from '../vault/query/assertFields.js'
import type { VaultQuery } from '../vault/query/VaultQuery.js'
import type { Identity } from './defineOperation.js'
import type { FlowId } from '../log/FlowId.js'
import { stateAt, stateOf } from './stateAt.js'

/** Which states of a kind a flow asks for. */
export type StateQuery = Omit<VaultQuery, 'type'>

/** As the engine gets it: with its limit. */
export type FlowStateQuery = StateQuery & { readonly limit: number }

/** What a query of either kind asks for. */
export type QueryArguments = { readonly definition: AnyStateDefinition; readonly query: FlowStateQuery }

export const identityOfQuery = ({ definition, query }: QueryArguments): Identity => ({ type: definition.type, query })

export const labelOfQuery = ({ definition, query }: QueryArguments): string =>
  `query ${definition.type}, at most ${query.limit}`

export type FoundStates = {
  readonly states: readonly unknown[]
  /** The same states as text, for the record. */
  readonly refs: readonly string[]
  readonly next: string | undefined
}

export const queryStates = (reads: FlowReads, { definition, query }: QueryArguments, flow: FlowId): FoundStates => {
  const { limit } = query
  if (!Number.isInteger(limit) || limit < 1 || limit > flowLimits.statesPerQuery) {
    throw new CarillonError(
      'query-unbounded',
      `A query in a flow may return 1 to ${flowLimits.statesPerQuery} states, not ${limit}. Work in pages with queryPage, or narrow the query.`,
      { limit },
    )
  }
  assertFields(definition, query)
  const found = reads.views.query({ ...query, type: definition.type }, flow)
  return {
    states: found.items.map((row) => stateOf(definition, row)),
    refs: found.items.map(({ ref }) => showRef(ref)),
    next: found.next,
  }
}

/** The states of recorded refs. */
export const reviveStates = (
  reads: FlowReads,
  definition: AnyStateDefinition,
  refs: readonly string[],
): readonly unknown[] => refs.map((ref) => stateAt(reads, definition, parseRef(ref)).state)
