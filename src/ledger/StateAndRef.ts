/**
 * A state together with where it comes from.
 */
import type { StateRef } from './StateRef.js'

/** A state, decoded, together with its ref. */
export type StateAndRef<A> = {
  readonly ref: StateRef
  readonly type: string
  readonly data: A
}
