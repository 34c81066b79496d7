/**
 * A key belongs to one unconsumed state of its type; the state that had it before must be consumed along with it.
 */
import { CarillonError } from '../errors/CarillonError.js'
import { keyOf } from '../ledger/assess.js'
import type { LedgerTransaction } from '../ledger/LedgerTransaction.js'
import { sameRef, showRef, type StateRef } from '../ledger/StateRef.js'
import type { VaultReads } from './VaultReads.js'

/** A new state's type, and what it would be known by. */
export type NewKey = { readonly type: string; readonly key: string | undefined }

/** Throws when a key would belong to a second state of this vault. */
export const checkKeys = (reads: VaultReads, inputs: readonly StateRef[], keys: readonly NewKey[]): void => {
  const taken = new Set<string>()
  for (const { type, key } of keys) {
    if (key === undefined) continue
    const holder = reads.views.states.withKey(type, key)
    const isFree = holder === undefined || inputs.some((ref) => sameRef(ref, holder.ref))
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

/** As {@link checkKeys}, for a transaction that is yet to be agreed on. */
export const checkKeysOf = (reads: VaultReads, { inputs, outputs }: LedgerTransaction): void => {
  checkKeys(
    reads,
    inputs.map(({ ref }) => ref),
    outputs.map(({ definition, data }) => ({ type: definition.type, key: keyOf(definition, data) })),
  )
}
