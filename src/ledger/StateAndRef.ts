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

/** Where a state says by which definition a flow has read it: not a part of the state, which is plain data and may be returned. */
const definitionKey = Symbol('definition')

/** Notes on a state the definition that it was read with. */
export const readWith = <S extends object>(definition: AnyStateDefinition, state: S): S =>
  Object.defineProperty(state, definitionKey, { value: definition })

/** The definition that a state was read with; undefined for what was not read by a flow, copies among them. */
export const definitionRead = (state: object): AnyStateDefinition | undefined => {
  const noted: { readonly [definitionKey]?: AnyStateDefinition } = state
  return noted[definitionKey]
}
