/**
 * A state together with where it comes from.
 */
import type { AnyStateDefinition } from './StateDefinition.js'
import type { StateRef } from './StateRef.js'

/** A state, decoded, together with its ref. */
export type StateAndRef<A> = {
  readonly ref: StateRef
  readonly type: string
  readonly data: A
}

/** The definition that a flow read a state with. It is no part of the state, which is plain data and may be returned. */
const definitions = new WeakMap<object, AnyStateDefinition>()

/** Remembers the definition that a state was read with. */
export const readWith = <S extends object>(definition: AnyStateDefinition, state: S): S => {
  definitions.set(state, definition)
  return state
}

/** The definition that a state was read with; undefined for what was not read by a flow. */
export const definitionRead = (state: object): AnyStateDefinition | undefined => definitions.get(state)
