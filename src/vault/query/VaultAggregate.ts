/**
 * Counts and sums over states: how many there are, and of an indexed field the sum and the bounds, perhaps for each
 * value of another one.
 */
import type { StateCriteria } from './VaultQuery.js'

/** What to aggregate. */
export type VaultAggregate = StateCriteria & {
  /** The indexed field that is summed and compared; only states that have it count. Default: states are only counted. */
  readonly of?: string
  /** One result for each value of this indexed field. Default: one for all. */
  readonly by?: string
}

/** The figures of one group of states. */
export type Aggregate = {
  /** The value the group has in common; undefined without `by`. */
  readonly group?: string | number
  readonly count: number
  /** Of the field `of`; undefined when there are no states, and the sum and average where it is text. */
  readonly sum?: number
  readonly average?: number
  readonly min?: string | number
  readonly max?: string | number
}
