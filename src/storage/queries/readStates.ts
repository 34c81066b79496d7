/**
 * States of one kind read through a connection and decoded with today's definition: for whoever looks at a store from
 * outside a node.
 */
import { decodeState } from '../../ledger/decodeState.js'
import { orThrow } from '../../errors/Decision.js'
import type { StateAndRef } from '../../ledger/StateAndRef.js'
import type { StateDefinition } from '../../ledger/StateDefinition.js'
import type { Database } from '../Database.js'
import type { VaultQuery } from '../../vault/query/VaultQuery.js'
import { queryVault } from './readVault.js'

/** Which page of the states of one kind. */
export type StatesPage = Pick<VaultQuery, 'limit' | 'after'>

/** The unconsumed states of one kind, oldest first: one page of them. */
export const readStates = <A>(
  db: Database,
  definition: StateDefinition<A>,
  page: StatesPage = {},
): readonly StateAndRef<A>[] =>
  queryVault(db, { ...page, type: definition.type }).items.map(({ ref, type, version, data }) => {
    const decoded = orThrow(decodeState(definition, version, JSON.stringify(data)))
    return { ref, type, data: decoded }
  })
