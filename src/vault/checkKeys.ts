/**
 * A key belongs to one unconsumed state of its type that is relevant here: the first in log order. What would take it a
 * second time is refused as long as it is only proposed; what is final already is recorded without it. A key that no
 * state has yet is reserved for the flow that collects signatures for its first state, for as long as `keyReservedMs`.
 */
import { CarillonError } from '../errors/CarillonError.js'
import { keyOf, withoutKey } from '../ledger/assess.js'
import type { Assessment } from '../ledger/Assessment.js'
import { sameRef, showRef, type StateRef } from '../ledger/StateRef.js'
import type { FlowId } from '../log/FlowId.js'
import { instantFromMillis } from '../time/Instant.js'
import { vaultLimits } from './limits.js'
import { readState } from './readState.js'
import type { StateRow } from './StateRow.js'
import type { VaultReads } from './VaultReads.js'
import type { TypedKey } from './VaultTables.js'

/** A transaction as far as keys are concerned: what it consumes, and what its outputs say. */
export type KeyUse = {
  readonly inputs: readonly StateRef[]
  /** The types of the outputs, in their order. */
  readonly types: readonly string[]
  readonly assessments: readonly Assessment[]
}

/** The state that has a key and keeps it, whatever the transaction does. */
const holderOf = (reads: VaultReads, inputs: readonly StateRef[], { type, key }: TypedKey): StateRow | undefined => {
  const holder = reads.views.states.withKey(type, key)
  return holder === undefined || inputs.some((ref) => sameRef(ref, holder.ref)) ? undefined : holder
}

/**
 * Whether the transaction consumes a state of this vault that has the key, or would have it if another had not been
 * first: its successor goes on as it was.
 */
const isPassedOn = (reads: VaultReads, inputs: readonly StateRef[], { type, key }: TypedKey): boolean =>
  inputs.some((ref) => {
    const row = reads.views.states.find(ref)
    if (row?.relevant !== true || row.kind.type !== type) return false
    if (row.key !== null) return row.key === key
    const definition = reads.registry.requireState(type)
    return keyOf(definition, readState(definition, row)) === key
  })

const keysOf = ({ types, assessments }: KeyUse): readonly TypedKey[] =>
  assessments.flatMap(({ key }, index) => (key === undefined ? [] : [{ type: types[index] ?? '', key }]))

const taken = ({ type, key }: TypedKey, who: string): CarillonError =>
  new CarillonError(
    'state-key-taken',
    `A new ${type} would be known by "${key}", which is the key of ${who}. Consume that state first, or choose another key.`,
    { type, key },
  )

const textOf = ({ type, key }: TypedKey): string => `${type} ${key}`

/** Throws when a proposed transaction would take a key twice; gives the keys that no state of this vault has yet. */
export const checkKeys = (
  reads: VaultReads & { readonly nowMs: number },
  use: KeyUse,
  flow: FlowId | undefined,
): readonly TypedKey[] => {
  const seen = new Set<string>()
  return keysOf(use).filter((typed) => {
    if (seen.has(textOf(typed))) throw taken(typed, 'another output of the same transaction')
    seen.add(textOf(typed))
    if (isPassedOn(reads, use.inputs, typed)) return false
    const holder = holderOf(reads, use.inputs, typed)
    if (holder !== undefined) throw taken(typed, `state ${showRef(holder.ref)}`)
    const reserved = reads.views.proposals.reservation(typed)
    const untilMs = (reserved?.sinceMs ?? 0) + vaultLimits.keyReservedMs
    if (reserved !== undefined && reserved.flow !== flow && untilMs > reads.nowMs)
      throw new CarillonError(
        'state-key-reserved',
        `A new ${typed.type} would be known by "${typed.key}", which flow ${reserved.flow} has reserved at ${reads.me.name} while it collects signatures. Try again when that flow has ended, or after ${instantFromMillis(untilMs)}.`,
        { ...typed, flow: reserved.flow },
      )
    return true
  })
}

/** What is recorded of the outputs of a transaction that is final: a key that belongs to another state is left out. */
export const settleKeys = (reads: VaultReads, use: KeyUse): readonly Assessment[] => {
  // Most states have no key.
  if (use.assessments.every(({ key }) => key === undefined)) return use.assessments
  const seen = new Set<string>()
  return use.assessments.map((assessment, index) => {
    const { key } = assessment
    if (key === undefined) return assessment
    const typed = { type: use.types[index] ?? '', key }
    const holder = holderOf(reads, use.inputs, typed)
    const isFree = holder === undefined && !seen.has(textOf(typed))
    seen.add(textOf(typed))
    if (isFree) return assessment
    return withoutKey(assessment, {
      ...typed,
      holder: holder === undefined ? 'another output of the same transaction' : `state ${showRef(holder.ref)}`,
    })
  })
}
