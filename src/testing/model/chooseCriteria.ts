/**
 * Questions to a vault, made up from a seed and from what the vault holds, so that most of them mean some states and leave
 * out others.
 */
import type { ModelState } from '../../model/index.js'
import { instantFromMillis, toMillis, type Instant } from '../../time/Instant.js'
import type { Criterion, Span } from '../../vault/query/Criterion.js'
import type { Sort, StateCriteria, VaultQuery } from '../../vault/query/VaultQuery.js'
import type { Chance } from '../simulation/Chance.js'

/** Whether to leave out, or a value. */
const perhaps = <A>(chance: Chance, value: A): A | undefined => (chance.oneIn(3) ? undefined : value)

const given = <K extends string, V>(key: K, value: V | undefined): Readonly<Partial<Record<K, V>>> =>
  (value === undefined ? {} : { [key]: value }) as Readonly<Partial<Record<K, V>>>

const spanAround = (chance: Chance, at: Instant, other: Instant): Span => {
  const [from, until] = [at, other].sort()
  const later = (instant: Instant): Instant => instantFromMillis(toMillis(instant) + chance.between(0, 1))
  return {
    ...given('from', from === undefined ? undefined : perhaps(chance, later(from))),
    ...given('until', until === undefined ? undefined : perhaps(chance, later(until))),
  }
}

const fieldCriterion = (chance: Chance, state: ModelState, other: ModelState): Criterion | undefined => {
  const fields = Object.entries(state.indexed ?? {})
  if (fields.length === 0) return undefined
  const [field, value] = chance.pick(fields)
  const second = other.indexed?.[field] ?? value
  switch (chance.below(3)) {
    case 0:
      return { field, is: value }
    case 1:
      return { field, in: [value, second] }
    default: {
      const [low, high] = second < value ? [second, value] : [value, second]
      return { field, ...given('from', perhaps(chance, low)), ...given('until', perhaps(chance, high)) }
    }
  }
}

/** A criterion that fits some of these states, as a rule. */
const criterionFor = (chance: Chance, states: readonly ModelState[], depth: number): Criterion => {
  const [state, other] = [chance.pick(states), chance.pick(states)]
  const parts = (): readonly Criterion[] =>
    Array.from({ length: chance.between(0, 3) }, () => criterionFor(chance, states, depth - 1))
  switch (chance.below(depth > 0 ? 11 : 8)) {
    case 0:
    case 1:
    case 2:
      return fieldCriterion(chance, state, other) ?? { locked: chance.oneIn(2) }
    case 3: {
      const [party] = chance.some(state.participants, 1)
      return party === undefined ? { locked: false } : { party }
    }
    case 4:
      return { participants: chance.oneIn(2) ? state.participants : chance.some(state.participants, 1) }
    case 5:
      return state.key === undefined ? { locked: chance.oneIn(2) } : { key: state.key }
    case 6:
      return { recorded: spanAround(chance, state.recordedAt, other.recordedAt) }
    case 7:
      return { consumed: spanAround(chance, state.consumed?.at ?? state.recordedAt, other.recordedAt) }
    case 8:
      return { and: parts() }
    case 9:
      return { or: parts() }
    default:
      return { not: criterionFor(chance, states, depth - 1) }
  }
}

/** Which states a question is about. There must be some states. */
export const criteriaFor = (chance: Chance, states: readonly ModelState[]): StateCriteria => {
  const { type, key } = chance.pick(states)
  const own = states.filter((state) => state.type === type)
  return {
    type,
    ...(key === undefined || !chance.oneIn(4) ? {} : { key }),
    ...given('status', chance.pick([undefined, 'consumed', 'all'] as const)),
    ...given('where', chance.oneIn(4) ? undefined : criterionFor(chance, own, 2)),
    ...(chance.oneIn(2) ? {} : { includeIrrelevant: true }),
  }
}

const sortFor = (chance: Chance, { status }: StateCriteria, fields: readonly string[]): Sort => {
  const by = chance.pick<Sort['by']>([
    'recorded',
    ...(status === 'consumed' ? (['consumed'] as const) : []),
    ...fields.map((field) => ({ field })),
  ])
  return chance.oneIn(2) ? { by } : { by, descending: true }
}

/** A query, page by page. There must be some states. */
export const queryFor = (chance: Chance, states: readonly ModelState[]): VaultQuery & { readonly limit: number } => {
  const criteria = criteriaFor(chance, states)
  const fields = new Set(
    states.flatMap(({ type, indexed }) => (type === criteria.type ? Object.keys(indexed ?? {}) : [])),
  )
  const limit = chance.pick([1, 2, 3, 100])
  return { ...criteria, ...(chance.oneIn(3) ? {} : { sort: sortFor(chance, criteria, [...fields]) }), limit }
}
