/**
 * A question to the vault, and a page of its answer. Every question is bounded; what does not fit on a page is asked
 * for with the cursor of the page before, which stays good whatever is recorded meanwhile.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import { decodeWith } from '../../encoding/decode.js'
import { CarillonError } from '../../errors/CarillonError.js'
import { vaultLimits } from '../limits.js'
import { countCriteria, CriterionC, type Criterion } from './Criterion.js'

/** Which states are meant, by whether they are used up. */
export type Status = 'unconsumed' | 'consumed' | 'all'

/** In which order states come; ties are in log order. Default: as they were recorded, oldest first. */
export type Sort = {
  /** When they were recorded, when they were consumed, or an indexed field: states without it are left out. */
  readonly by: 'recorded' | 'consumed' | { readonly field: string }
  readonly descending?: boolean
}

/** Which states are meant. */
export type StateCriteria = {
  /** Only states of this type. */
  readonly type?: string
  /** Only the states that are, or were, known by this key; needs a type. */
  readonly key?: string
  /** Default `unconsumed`. */
  readonly status?: Status
  /** States the node only stores as an observer are left out unless this is true. */
  readonly includeIrrelevant?: boolean
  /** What else they must fulfil; indexed fields need a type. */
  readonly where?: Criterion
}

/** Which states to list. */
export type VaultQuery = StateCriteria & {
  readonly sort?: Sort
  /** The vault as it was right after this revision; then without `where` and `sort`. Default: as it is. */
  readonly at?: number
  /** At most so many; default 100. */
  readonly limit?: number
  /** The cursor of the page before. */
  readonly after?: string
}

/** One page of an answer. */
export type Page<A, C = number> = {
  readonly items: readonly A[]
  /** Give it as `after` to get the next page; undefined on the last one. */
  readonly next: C | undefined
}

export const queryInvalid = (why: string, details: Record<string, string> = {}): CarillonError =>
  new CarillonError('query-invalid', why, details)

const defaultPage = 100

/** Refuses a page size that would make an answer unbounded. */
export const pageSize = (limit: number | undefined): number => {
  const size = limit ?? defaultPage
  if (!Number.isInteger(size) || size < 1 || size > vaultLimits.page) {
    throw new CarillonError(
      'query-unbounded',
      `A page holds 1 to ${vaultLimits.page} rows, not ${size}. Ask page by page: give the answer's next as after.`,
      { limit: size },
    )
  }
  return size
}

/** Refuses what is not a query, whoever made it: plain data may come from anywhere. */
export const assertCriteria = (criteria: StateCriteria): void => {
  const { where, status, type } = criteria
  if (status !== undefined && !['unconsumed', 'consumed', 'all'].includes(status))
    throw queryInvalid(`The status "${status}" is none of unconsumed, consumed and all.`)
  if (type !== undefined && typeof type !== 'string')
    throw queryInvalid('The type of a query is the name of a state type.')
  if (where === undefined) return
  const decoded = decodeWith(CriterionC, where)
  if (isLeft(decoded))
    throw queryInvalid(
      `The query's "where" is not a criterion: ${decoded.left.slice(0, 3).join('; ')}. Write { field: 'currency', is: 'EUR' }, { party }, { and: [...] } and the like.`,
    )
  const count = countCriteria(where)
  if (count > vaultLimits.criteriaPerQuery)
    throw queryInvalid(`The query has ${count} criteria; at most ${vaultLimits.criteriaPerQuery} are allowed.`)
}
