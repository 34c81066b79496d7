/**
 * A vault as a plain list: which of some states a query means, and in which order. It knows no index, no page and no SQL,
 * and is what the node's own answers are held against.
 */
import type { PublicKey } from '../../identity/PublicKey.js'
import type { IndexedValue } from '../../ledger/IndexedValue.js'
import type { Instant } from '../../time/Instant.js'
import { keyOfWho, type Criterion, type Span } from '../../vault/query/Criterion.js'
import type { Sort, Status, VaultQuery } from '../../vault/query/VaultQuery.js'

/** A state as far as a query can tell it from others. Lists of them are in log order. */
export type PlainState = {
  readonly type: string
  readonly relevant: boolean
  readonly key?: string | undefined
  readonly indexed?: Readonly<Record<string, IndexedValue>> | undefined
  readonly participants: readonly PublicKey[]
  readonly recordedAt: Instant
  readonly consumed: { readonly at: Instant; readonly revision: number } | undefined
  /** Whether a flow has reserved it, other than one that asks. */
  readonly locked: boolean
}

type Stored = string | number

/** True and false count as 1 and 0. */
const stored = (value: IndexedValue): Stored => (typeof value === 'boolean' ? Number(value) : value)

/** Numbers come before texts, and texts are in the order of their code points. */
const compareStored = (a: Stored, b: Stored): number => {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return typeof a === 'number' ? -1 : 1
}

const isWithin = ({ from, until }: Span, at: Instant): boolean =>
  (from === undefined || at >= from) && (until === undefined || at < until)

/** A value lies between two bounds of its own kind, or above or below one. */
const isBetween = (
  value: IndexedValue,
  { from, until }: { readonly from?: IndexedValue; readonly until?: IndexedValue },
): boolean =>
  [from, until].every((bound) => bound === undefined || typeof stored(bound) === typeof stored(value)) &&
  (from === undefined || compareStored(stored(value), stored(from)) >= 0) &&
  (until === undefined || compareStored(stored(value), stored(until)) < 0)

const meetsField = (state: PlainState, criterion: Extract<Criterion, { readonly field: string }>): boolean => {
  const value = state.indexed?.[criterion.field]
  if (value === undefined) return false
  if ('is' in criterion) return stored(value) === stored(criterion.is)
  if ('in' in criterion) return criterion.in.some((one) => stored(one) === stored(value))
  return isBetween(value, criterion)
}

/** Whether a state meets a criterion. Of the notary nothing is known here. */
export const meets = (state: PlainState, criterion: Criterion): boolean => {
  if ('and' in criterion) return criterion.and.every((part) => meets(state, part))
  if ('or' in criterion) return criterion.or.some((part) => meets(state, part))
  if ('not' in criterion) return !meets(state, criterion.not)
  if ('field' in criterion) return meetsField(state, criterion)
  if ('party' in criterion) return state.participants.includes(keyOfWho(criterion.party))
  if ('participants' in criterion) {
    const wanted = criterion.participants.map(keyOfWho)
    return (
      wanted.every((key) => state.participants.includes(key)) && state.participants.every((key) => wanted.includes(key))
    )
  }
  if ('key' in criterion) return state.key === criterion.key
  if ('recorded' in criterion) return isWithin(criterion.recorded, state.recordedAt)
  if ('consumed' in criterion) return state.consumed !== undefined && isWithin(criterion.consumed, state.consumed.at)
  return 'locked' in criterion && state.locked === criterion.locked
}

const isOf = (status: Status, { consumed }: PlainState): boolean =>
  status === 'all' || (consumed === undefined) === (status === 'unconsumed')

const sorted = <S extends PlainState>(states: readonly S[], { by, descending = false }: Sort): readonly S[] => {
  const valueOf = ({ indexed, consumed }: S): IndexedValue | undefined =>
    by === 'recorded' ? 0 : by === 'consumed' ? consumed?.revision : indexed?.[by.field]
  const placed = states.flatMap((state) => {
    const value = valueOf(state)
    return value === undefined ? [] : [{ state, value: stored(value) }]
  })
  const inOrder = placed.sort((a, b) => compareStored(a.value, b.value)).map(({ state }) => state)
  return descending ? inOrder.reverse() : inOrder
}

/** The states that a query means, all of them and in its order. */
export const statesMeant = <S extends PlainState>(
  states: readonly S[],
  { type, key, status = 'unconsumed', includeIrrelevant = false, where, sort = { by: 'recorded' } }: VaultQuery,
): readonly S[] =>
  sorted(
    states.filter(
      (state) =>
        (type === undefined || state.type === type) &&
        (key === undefined || state.key === key) &&
        isOf(status, state) &&
        (includeIrrelevant || state.relevant) &&
        (where === undefined || meets(state, where)),
    ),
    sort,
  )
