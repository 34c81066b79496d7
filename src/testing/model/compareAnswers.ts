/**
 * Asks the views of a node what people and apps ask them, in questions made up from a seed, and compares the answers with
 * those that follow from the model by going through it from one end to the other.
 */
import type { Waiting } from '../../log/events.js'
import { FlowIdC } from '../../log/FlowId.js'
import { showRef } from '../../ledger/StateRef.js'
import type { IndexedValue } from '../../ledger/IndexedValue.js'
import {
  agendaOf,
  compareValues,
  type Model,
  type ModelFinding,
  type ModelFlow,
  type ModelState,
} from '../../model/index.js'
import type { Database } from '../../storage/Database.js'
import { countAgenda, countDue, readAgenda } from '../../storage/queries/readAgenda.js'
import { countFlows, listFlows, resolveFlowId } from '../../storage/queries/readFlows.js'
import { readOccurrences } from '../../storage/queries/readOccurrences.js'
import { readTimeline, type Timeline } from '../../storage/queries/readTimeline.js'
import { resolveRef } from '../../storage/queries/resolveRef.js'
import { explainState } from '../../storage/queries/explainState.js'
import {
  aggregateVault,
  countStates,
  countUnconsumed,
  findTransaction,
  matchingAmong,
  queryVault,
} from '../../storage/queries/readVault.js'
import { toMillis, type Instant } from '../../time/Instant.js'
import type { Aggregate } from '../../vault/query/VaultAggregate.js'
import type { Page } from '../../vault/query/VaultQuery.js'
import type { Chance } from '../simulation/Chance.js'
import { criteriaFor, queryFor } from './chooseCriteria.js'
import { statesMeant, type PlainState } from './plainVault.js'

/** Everything that pages give, one after the other. */
const allOf = <A, C>(ask: (after: { readonly after?: C }) => Page<A, C>): readonly A[] => {
  const items: A[] = []
  let after: C | undefined
  do {
    const page: Page<A, C> = ask(after === undefined ? {} : { after })
    items.push(...page.items)
    after = page.next
  } while (after !== undefined)
  return items
}

const refsOf = (rows: readonly Pick<ModelState, 'ref'>[]): readonly string[] => rows.map(({ ref }) => showRef(ref))

type Asked = {
  readonly db: Database
  readonly model: Model
  readonly chance: Chance
  readonly states: readonly (ModelState & PlainState)[]
  readonly flows: readonly ModelFlow[]
}

const askVault = ({ db, chance, states }: Asked): readonly ModelFinding[] => {
  const query = queryFor(chance, states)
  const found = allOf((after: { readonly after?: string }) => queryVault(db, { ...query, ...after }))
  const what = `The vault answers ${JSON.stringify(query)}.`
  return compareValues(what, refsOf(statesMeant(states, query)), refsOf(found))
}

/** A state as it was right after a revision. */
const asOf = (state: ModelState & PlainState, at: number): ModelState & PlainState => {
  const { relevant, key } = state.before.find(({ untilRevision }) => untilRevision > at) ?? state
  const { consumed } = state
  return { ...state, relevant, key, consumed: (consumed?.revision ?? Infinity) <= at ? consumed : undefined }
}

const askPast = ({ db, chance, states }: Asked): readonly ModelFinding[] => {
  const { type, key, fromRevision, consumed } = chance.pick(states)
  const at = (chance.oneIn(2) ? fromRevision : (consumed?.revision ?? fromRevision)) - chance.between(0, 1)
  const status = chance.pick([undefined, 'consumed', 'all'] as const)
  const query = {
    ...(chance.oneIn(2) ? {} : { type, ...(key === undefined || chance.oneIn(2) ? {} : { key }) }),
    ...(status === undefined ? {} : { status }),
    ...(chance.oneIn(2) ? {} : { includeIrrelevant: true }),
  }
  const then = states.filter((state) => state.fromRevision <= at).map((state) => asOf(state, at))
  const limit = chance.pick([1, 3, 100])
  const found = allOf((after: { readonly after?: string }) => queryVault(db, { ...query, ...after, at, limit }))
  const told = (ref: string, by: unknown): string => `${ref} ${by === undefined ? 'unconsumed' : 'consumed'}`
  return compareValues(
    `The vault answers ${JSON.stringify(query)} as it was at revision ${at}.`,
    statesMeant(then, query).map((state) => told(showRef(state.ref), state.consumed)),
    found.map(({ ref, consumedBy }) => told(showRef(ref), consumedBy)),
  )
}

const askAmong = ({ db, chance, states }: Asked): readonly ModelFinding[] => {
  const criteria = criteriaFor(chance, states)
  const some = chance.some(states, 5)
  const meant = new Set(refsOf(statesMeant(states, criteria)))
  const among = matchingAmong(
    db,
    criteria,
    some.map(({ ref }) => ref),
  )
  const predicted = refsOf(some).filter((ref) => meant.has(ref))
  return compareValues(
    `Of some states those are told that ${JSON.stringify(criteria)} means.`,
    predicted,
    refsOf(among),
  )
}

const stored = (value: IndexedValue): string | number => (typeof value === 'boolean' ? Number(value) : value)

/** Numbers before texts, as the vault sorts. */
const least = (values: readonly (string | number)[]): readonly (string | number)[] =>
  [...values].sort((a, b) => (typeof a === typeof b ? (a < b ? -1 : Number(a !== b)) : typeof a === 'number' ? -1 : 1))

const figuresOf = (values: readonly (string | number)[]): Omit<Aggregate, 'group' | 'count'> => {
  const numbers = values.filter((value) => typeof value === 'number')
  const sum = numbers.reduce((total, value) => total + value, 0)
  const inOrder = least(values)
  const [min, max] = [inOrder[0], inOrder.at(-1)]
  return {
    ...(numbers.length === 0 ? {} : { sum, average: sum / numbers.length }),
    ...(min === undefined || max === undefined ? {} : { min, max }),
  }
}

const askAggregate = ({ db, chance, states }: Asked): readonly ModelFinding[] => {
  const criteria = criteriaFor(chance, states)
  const meant = statesMeant(states, criteria)
  const fields = [
    ...new Set(states.flatMap(({ type, indexed }) => (type === criteria.type ? Object.keys(indexed ?? {}) : []))),
  ]
  const [of, by] = [
    chance.oneIn(3) ? undefined : fields[chance.below(9)],
    chance.oneIn(2) ? undefined : fields[chance.below(9)],
  ]
  const valued = meant.flatMap(({ indexed = {} }) => {
    const [value, group] = [of === undefined ? undefined : indexed[of], by === undefined ? undefined : indexed[by]]
    const isLeftOut = (of !== undefined && value === undefined) || (by !== undefined && group === undefined)
    return isLeftOut
      ? []
      : [
          {
            value: value === undefined ? undefined : stored(value),
            group: group === undefined ? undefined : stored(group),
          },
        ]
  })
  const groups = by === undefined ? [undefined] : least([...new Set(valued.flatMap(({ group }) => group ?? []))])
  const predicted = groups.map((group): Aggregate => {
    const own = valued.filter((one) => one.group === group)
    return {
      ...(group === undefined ? {} : { group }),
      count: own.length,
      ...(of === undefined ? {} : figuresOf(own.flatMap(({ value }) => value ?? []))),
    }
  })
  const aggregate = { ...criteria, ...(of === undefined ? {} : { of }), ...(by === undefined ? {} : { by }) }
  return compareValues(`The vault sums up ${JSON.stringify(aggregate)}.`, predicted, aggregateVault(db, aggregate))
}

const isOpen = ({ ended }: ModelFlow): boolean => ended === undefined

const isTroubled = (flow: ModelFlow): boolean =>
  isOpen(flow) && (flow.status === 'parked' || flow.waits.some((wait) => 'error' in wait))

/** A wait as a list shows it: where an error came from is told of one flow only. */
const inALine = (wait: Waiting): unknown =>
  'error' in wait ? { ...wait, error: { ...wait.error, stack: undefined, causes: undefined } } : wait

const askFlows = ({ db, chance, flows, model }: Asked): readonly ModelFinding[] => {
  const { name, status, id } = chance.pick(flows)
  const own = chance.pick<'open' | 'troubled' | typeof status | undefined>(['open', 'troubled', status, undefined])
  const parent = chance.oneIn(4) && FlowIdC.is(id) ? id : undefined
  const children = new Set(model.children.get(parent ?? '')?.map(({ flow }) => flow))
  const query = {
    ...(own === undefined ? {} : { status: own }),
    ...(chance.oneIn(2) ? {} : { name }),
    ...(parent === undefined ? {} : { parent }),
  }
  const limit = chance.pick([1, 2, 100])
  const found = allOf((after: { readonly after?: number }) => listFlows(db, { ...query, ...after, limit }))
  const predicted = flows.filter(
    (flow) =>
      (own === undefined ||
        (own === 'open' ? isOpen(flow) : own === 'troubled' ? isTroubled(flow) : flow.status === own)) &&
      (query.name === undefined || flow.name === name) &&
      (parent === undefined || children.has(flow.id)),
  )
  return compareValues(
    `The flows are asked for ${JSON.stringify(query)}.`,
    predicted
      .map(({ id: flow, status: stands, waits, error }) => [flow, stands, waits.map(inALine), error?.message ?? ''])
      .reverse(),
    found.map(({ id: flow, status: stands, waiting = [], error }) => [flow, stands, waiting, error?.message ?? '']),
  )
}

const askAgenda = ({ db, chance, model, states }: Asked): readonly ModelFinding[] => {
  const limit = chance.pick([1, 2, 100])
  const at = chance.pick(states).recordedAt
  const unconsumed = states.filter(({ consumed }) => consumed === undefined).map(({ activity }) => activity)
  const count = (is: (activity: ModelState['activity']) => boolean): number => unconsumed.filter(is).length
  const isLeft = ({ standing, error, attentionAt }: ModelState['activity']): boolean =>
    standing === 'ended' && error === undefined && attentionAt !== undefined && attentionAt <= at
  const counts = {
    scheduled: count(({ actsAt }) => actsAt !== undefined),
    unconsumed: count(isLeft),
    parked: count(({ standing }) => standing === 'parked'),
    missed: count(({ standing }) => standing === 'missed'),
    failed: count(({ standing, error }) => standing === 'ended' && error !== undefined),
    paused: count(({ standing }) => standing === 'paused'),
  }
  return [
    ...compareValues(
      'The agenda, page by page.',
      refsOf(agendaOf(model)),
      refsOf(allOf((after: { readonly after?: string }) => readAgenda(db, { limit, ...after }))),
    ),
    ...compareValues(`How many activities stand how, at ${at}.`, counts, countAgenda(db, toMillis(at))),
    ...compareValues(
      `How many activities are due at ${at}.`,
      count(({ actsAt }) => actsAt !== undefined && actsAt <= at),
      countDue(db, toMillis(at)),
    ),
  ]
}

const askOccurrences = ({ db, chance, states }: Asked): readonly ModelFinding[] => {
  const limit = chance.pick([1, 3, 100])
  const found = allOf((after: { readonly after?: number }) => readOccurrences(db, { limit, ...after }))
  const isNewestFirst = found.every(({ revision }, place) => revision < (found[place - 1]?.revision ?? Infinity))
  const told = (ref: string, type: string, attempt: unknown): string => JSON.stringify([ref, type, attempt])
  return [
    ...compareValues('Occurrences come newest first.', true, isNewestFirst),
    ...compareValues(
      'All occurrences.',
      states
        .flatMap(({ ref, type, attempts }) =>
          attempts.map(({ due, attempt, outcome }) => told(showRef(ref), type, { due, attempt, outcome })),
        )
        .sort(),
      found.map(({ ref, type, due, attempt, outcome }) => told(showRef(ref), type, { due, attempt, outcome })).sort(),
    ),
  ]
}

/** The attempts that began in a bar of the timeline, counted by what became of them. */
const barOf = (
  { states, flows }: Asked,
  atMs: number,
  isIn: (at: Instant) => boolean,
  lateMs: number,
): Timeline['bars'][number] => {
  const started = flows.flatMap(({ origin, startedAt, status }) =>
    origin.kind === 'activity' && isIn(startedAt) ? [{ latenessMs: origin.latenessMs, status }] : [],
  )
  const unstarted = states.flatMap(({ attempts }) => attempts.filter(({ flow, at }) => flow === undefined && isIn(at)))
  const count = (outcome: string): number => unstarted.filter((attempt) => attempt.outcome === outcome).length
  const failed = started.filter(({ status }) => status === 'failed' || status === 'parked').length
  const late = Math.max(0, started.filter(({ latenessMs }) => latenessMs > lateMs).length - failed)
  return {
    atMs,
    scheduled: states.filter(({ activity: { actsAt } }) => actsAt !== undefined && isIn(actsAt)).length,
    onTime: Math.max(0, started.length - late - failed),
    late,
    failed: failed + count('parked'),
    missed: count('missed'),
    worstLatenessMs: Math.max(0, ...started.map(({ latenessMs }) => latenessMs)),
  }
}

const askTimeline = (asked: Asked): readonly ModelFinding[] => {
  const { db, chance, states } = asked
  const [one, other] = [chance.pick(states), chance.pick(states)].map(({ recordedAt }) => toMillis(recordedAt))
  const [first = 0, last = 0] = [one ?? 0, other ?? 0].sort((a, b) => a - b)
  const [fromMs, untilMs] = [first - chance.between(0, 1), last + chance.pick([1, 30_000])]
  const query = { fromMs, untilMs, bars: chance.pick([1, 3, 7]), lateMs: chance.pick([0, 500]) }
  const barMs = Math.max(1, Math.ceil((untilMs - fromMs) / query.bars))
  const bars = Array.from({ length: Math.ceil((untilMs - fromMs) / barMs) }, (_, place) => {
    const beginsMs = fromMs + place * barMs
    const endsMs = Math.min(untilMs, beginsMs + barMs)
    return barOf(asked, beginsMs, (at) => toMillis(at) >= beginsMs && toMillis(at) < endsMs, query.lateMs)
  })
  const predicted: Timeline = { barMs, bars, partial: false }
  return compareValues(`The timeline of ${JSON.stringify(query)}.`, predicted, readTimeline(db, query))
}

const countBy = <A>(all: readonly A[], keyOf: (one: A) => string): ReadonlyMap<string, readonly A[]> => {
  const found = new Map<string, readonly A[]>()
  for (const one of [...all].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)))
    found.set(keyOf(one), [...(found.get(keyOf(one)) ?? []), one])
  return found
}

const askCounts = ({ db, states, flows }: Asked): readonly ModelFinding[] => {
  const byType = [...countBy(states, ({ type }) => type)].map(([type, all]) => {
    const unconsumed = all.filter(({ consumed }) => consumed === undefined).length
    return { type, unconsumed, consumed: all.length - unconsumed }
  })
  const open = flows.filter(isOpen)
  return [
    ...compareValues('How many states there are.', byType, countStates(db)),
    ...compareValues(
      'How many states are unconsumed.',
      byType.map(({ type, unconsumed }) => ({ type, unconsumed })),
      countUnconsumed(db),
    ),
    ...compareValues(
      'How many flows are under way.',
      {
        open: open.length,
        parked: open.filter(({ status }) => status === 'parked').length,
        paused: open.filter(({ status }) => status === 'paused').length,
        superseded: flows.filter(({ attention }) => attention).length,
      },
      countFlows(db),
    ),
  ]
}

/** What people type is found by its beginning, unless something else begins so. */
const askByBeginning = ({ db, chance, states, flows }: Asked): readonly ModelFinding[] => {
  const { ref } = chance.pick(states)
  const digits = chance.pick([8, 12, 13, 40, 64])
  const place = (text: string): string => {
    try {
      return showRef(resolveRef(db, text))
    } catch {
      return 'none'
    }
  }
  const outputs = states.filter((state) => state.ref.transaction === ref.transaction)
  const beginning = ref.transaction.slice(0, digits)
  const isOnly = states.every(
    ({ ref: { transaction } }) => transaction === ref.transaction || !transaction.startsWith(beginning),
  )
  const { id } = chance.pick(flows)
  const flowDigits = id.slice(0, chance.pick([8, 16, 32]))
  const flow = (): string => {
    try {
      return resolveFlowId(db, flowDigits)
    } catch {
      return 'none'
    }
  }
  const isOnlyFlow = flows.every((other) => other.id === id || !other.id.startsWith(flowDigits))
  const transaction = findTransaction(db, ref.transaction)
  const [first] = outputs
  return [
    ...compareValues(
      'A state is found by its beginning.',
      isOnly ? showRef(ref) : 'none',
      place(`${beginning}:${ref.index}`),
    ),
    ...compareValues(
      'A transaction with one output is found by its beginning.',
      isOnly && outputs.length === 1 && ref.index === 0 ? showRef(ref) : 'none',
      place(beginning),
    ),
    ...compareValues('There is no output after the last.', 'none', place(`${ref.transaction}:${outputs.length}`)),
    ...compareValues('A flow is found by its beginning.', isOnlyFlow ? id : 'none', flow()),
    ...compareValues(
      'A transaction stands where it was recorded.',
      { revision: first?.fromRevision, at: first?.recordedAt, outputs: outputs.length },
      transaction,
    ),
  ]
}

/** What is told of a state is what is so. */
const askWhy = ({ db, chance, states }: Asked): readonly ModelFinding[] => {
  const state = chance.pick(states)
  const why = explainState(db, state.ref)
  const { standing } = state.activity
  return [
    ...compareValues(
      `Why tells of ${showRef(state.ref)}.`,
      { ref: showRef(state.ref), standing: state.consumed === undefined && standing !== 'none' ? standing : undefined },
      { ref: why === undefined ? 'nothing' : showRef(why.ref), standing: why?.activity?.standing },
    ),
    ...compareValues(
      `Why tells of the attempts at ${showRef(state.ref)}.`,
      state.attempts.map(({ due, attempt, outcome }) => ({ due, attempt, outcome })),
      why?.attempts.map(({ due, attempt, outcome }) => ({ due, attempt, outcome })),
    ),
  ]
}

const questions = [
  ...[askVault, askVault, askVault, askVault, askVault, askVault, askVault, askVault],
  ...[askPast, askPast, askPast],
  ...[askAmong, askAggregate, askAggregate, askFlows, askFlows, askFlows, askWhy, askWhy],
  ...[askTimeline, askTimeline],
  ...[askAgenda, askOccurrences, askCounts, askByBeginning, askByBeginning],
]

/** Asks the views of a node, and compares what they say with what the model says. */
export const compareAnswers = (db: Database, model: Model, chance: Chance): readonly ModelFinding[] => {
  const states = [...model.states].map(([ref, state]) => ({ ...state, locked: model.locks.has(ref) }))
  const flows = [...model.flows.values()]
  if (states.length === 0 || flows.length === 0) return []
  const asked = { db, model, chance, states, flows }
  return questions.flatMap((ask) => ask(asked))
}
