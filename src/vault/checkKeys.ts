/**
 * A key belongs to one unconsumed state of its type; the state that had it before must be consumed along with it.
 */
import type { Decision } from '../decision/Decision.js'
import { CarillonError } from '../errors/CarillonError.js'
import type { LedgerTransaction } from '../ledger/LedgerTransaction.js'
import { sameRef, showRef } from '../ledger/StateRef.js'
import { keyOf } from '../agenda/assess.js'

/** Throws when a transaction that is yet to be agreed on would give a key to a second state of this vault. */
export const checkKeysOf = (decision: Decision, transaction: LedgerTransaction): void => {
  const taken = new Set<string>()
  for (const { definition, data } of transaction.outputs) {
    const key = keyOf(definition, data)
    if (key === undefined) continue
    const { type } = definition
    const holder = decision.views.states.withKey(type, key)
    const isFree = holder === undefined || transaction.inputs.some(({ ref }) => sameRef(ref, holder.ref))
    if (!isFree || taken.has(`${type} ${key}`)) {
      const who = isFree ? 'another output of the same transaction' : `state ${showRef(holder.ref)}`
      throw new CarillonError(
        'state-key-taken',
        `A new ${type} would be known by "${key}", which is the key of ${who}. Consume that state first, or choose another key.`,
        { type, key },
      )
    }
    taken.add(`${type} ${key}`)
  }
}
