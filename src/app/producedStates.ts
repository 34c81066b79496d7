/**
 * The states of one kind that a transaction has produced, decoded with today's definition.
 */
import { decodeState } from '../ledger/decodeState.js'
import { orThrow } from '../errors/Decision.js'
import type { StateDefinition } from '../ledger/StateDefinition.js'
import type { StateAndRef } from '../ledger/StateAndRef.js'
import type { TransactionRecordedEvent } from '../log/PublicEvent.js'

/** The states of one kind that a transaction has produced, upcast where an older version wrote them. */
export const producedStates = <A>(
  { produced }: Pick<TransactionRecordedEvent, 'produced'>,
  definition: StateDefinition<A>,
): readonly StateAndRef<A>[] =>
  produced
    .filter(({ type }) => type === definition.type)
    .map(({ ref, type, version, data }) => {
      const decoded = orThrow(decodeState(definition, version, JSON.stringify(data)))
      return { ref, type, data: decoded }
    })
