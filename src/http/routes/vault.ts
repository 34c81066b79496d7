/**
 * The vault: states by type and text, one state with its story, and its neighbourhood on the ledger.
 */
import * as t from 'io-ts'
import { CarillonError } from '../../errors/CarillonError.js'
import { revisionIn } from '../../history/moment.js'
import { showRef, type StateRef } from '../../ledger/StateRef.js'
import { httpLimits } from '../limits.js'
import type { Database } from '../../storage/Database.js'
import { explainState } from '../../storage/queries/explainState.js'
import { attemptsOf } from '../../storage/queries/readOccurrences.js'
import {
  aggregateVault,
  countStates,
  countUnconsumed,
  findState,
  findStateRow,
  indexedFields,
  queryVault,
} from '../../storage/queries/readVault.js'
import { resolveRef } from '../../storage/queries/resolveRef.js'
import { assertFields } from '../../vault/query/assertFields.js'
import { pageSize, type Page, type Sort, type StateCriteria, type VaultQuery } from '../../vault/query/VaultQuery.js'
import { containsText, type VaultEntry } from '../../vault/VaultEntry.js'
import { AggregateC, AttemptC, GraphC, pageOfC, StateTypesC, VaultEntryC, WhyC } from '../answers.js'
import { CountC, CriterionTextC, FlagC, MomentC, RefTextC } from '../codecs.js'
import { readGraph } from '../questions/readGraph.js'
import { question, type RouteQuestion } from '../Route.js'
import { pageAnswer } from './paging.js'

const deepest = 6

const RefC = t.strict({ ref: RefTextC })

const criteriaProps = {
  type: t.string,
  key: t.string,
  status: t.keyof({ unconsumed: null, consumed: null, all: null }),
  where: CriterionTextC,
  includeIrrelevant: FlagC,
}

type Criteria = Omit<StateCriteria, 'includeIrrelevant'> & { readonly includeIrrelevant?: 'true' | 'false' }

const criteriaOf = ({ type, key, status, where, includeIrrelevant }: Criteria): StateCriteria => ({
  includeIrrelevant: includeIrrelevant === 'true',
  ...(type === undefined ? {} : { type }),
  ...(key === undefined ? {} : { key }),
  ...(status === undefined ? {} : { status }),
  ...(where === undefined ? {} : { where }),
})

/** The order that is asked for; undefined for the usual one. */
const sortOf = (by: string | undefined, descending: boolean): Sort | undefined => {
  if (by === undefined || by === 'recorded') return descending ? { by: 'recorded', descending } : undefined
  return { by: by === 'consumed' ? by : { field: by }, ...(descending ? { descending } : {}) }
}

/** The fields that are known are those of states in the store, for a store on which no node runs has no app. */
const assertKnown = (
  db: Database,
  { type, where }: StateCriteria,
  sort: Sort | undefined,
  also: readonly string[],
): void => {
  if (type === undefined) return
  const names = indexedFields(db).get(type) ?? []
  assertFields(
    { type, indexed: Object.fromEntries(names.map((name) => [name, () => undefined])) },
    { where, sort, also },
  )
}

/**
 * States whose recorded text contains something. A search looks at so many states and no more, then answers with what
 * it found and where to go on: a page may be short, or even empty, without being the last.
 */
const search = (db: Database, query: VaultQuery, text: string): Page<VaultEntry, string> => {
  const size = pageSize(query.limit)
  let { after } = query
  for (let looked = 0; ; looked += size) {
    const page = queryVault(db, { ...query, limit: size, ...(after === undefined ? {} : { after }) })
    const items = page.items.filter((entry) => containsText(entry, text))
    after = page.next
    if (items.length > 0 || after === undefined || looked >= httpLimits.searchedStates) return { items, next: after }
  }
}

/** Answers about one state, by its ref or the first digits of it. */
const aboutState =
  <A>(find: (db: Database, ref: StateRef) => A | undefined) =>
  ({ node, params }: Pick<RouteQuestion<t.TypeOf<typeof RefC>, undefined>, 'node' | 'params'>): Promise<A> =>
    node.readViews((db) => {
      const ref = resolveRef(db, params.ref)
      const found = find(db, ref)
      if (found === undefined)
        throw new CarillonError('state-unknown', `This node holds no state ${showRef(ref)}.`, { ref: showRef(ref) })
      return found
    })

export const vaultRoutes = [
  question({
    path: '/states',
    tag: 'vault',
    verbs: ['vault'],
    summary: 'The states of the vault, by type, key, condition, criterion or text; as they are, or as they were',
    permission: 'view',
    query: t.exact(
      t.partial({
        ...criteriaProps,
        text: t.string,
        sort: t.string,
        descending: FlagC,
        at: MomentC,
        limit: CountC,
        after: t.string,
      }),
    ),
    answer: pageOfC(VaultEntryC),
    example: { query: { status: 'all', limit: '10' } },
    read: async ({ node, query: { text = '', sort: by, descending, at, limit, after, ...given } }) => {
      const sort = sortOf(by, descending === 'true')
      const asked: VaultQuery = {
        ...criteriaOf(given),
        ...(sort === undefined ? {} : { sort }),
        ...(at === undefined ? {} : { at: await revisionIn(node, at) }),
        ...(limit === undefined ? {} : { limit }),
        ...(after === undefined ? {} : { after }),
      }
      return node.readViews((db) => {
        assertKnown(db, asked, sort, [])
        return pageAnswer(text === '' ? queryVault(db, asked) : search(db, asked, text))
      })
    },
  }),
  question({
    path: '/states/figures',
    tag: 'vault',
    verbs: ['vault --count', 'vault --sum', 'vault --by'],
    summary: 'How many states there are, and of an indexed field the sum, the average and the bounds',
    permission: 'view',
    query: t.exact(t.partial({ ...criteriaProps, of: t.string, by: t.string })),
    answer: t.readonly(t.strict({ items: t.readonlyArray(AggregateC) }), 'Figures'),
    example: { query: { status: 'all' } },
    read: ({ node, query: { of, by, ...given } }) =>
      node.readViews((db) => {
        const criteria = criteriaOf(given)
        const fields = { ...(of === undefined ? {} : { of }), ...(by === undefined ? {} : { by }) }
        assertKnown(db, criteria, undefined, Object.values(fields))
        return { items: aggregateVault(db, { ...criteria, ...fields }) }
      }),
  }),
  question({
    path: '/states/types',
    tag: 'vault',
    verbs: ['vault --types'],
    summary: 'The types of states, and how many of each are unconsumed; how many are consumed takes longer to count',
    permission: 'view',
    query: t.exact(t.partial({ consumed: FlagC })),
    answer: StateTypesC,
    read: async ({ node, query }) => ({
      types: await node.readViews(query.consumed === 'true' ? countStates : countUnconsumed),
    }),
  }),
  question({
    path: '/states/{ref}',
    tag: 'vault',
    verbs: ['state show'],
    summary: 'One state, consumed or not',
    permission: 'view',
    params: RefC,
    answer: VaultEntryC,
    read: aboutState((db, ref) => findState(db, ref)),
  }),
  question({
    path: '/states/{ref}/why',
    tag: 'vault',
    verbs: ['why'],
    summary: "Why a state's activity has run, has not run, or will run, in sentences",
    permission: 'view',
    params: RefC,
    answer: WhyC,
    read: aboutState((db, ref) => explainState(db, ref)),
  }),
  question({
    path: '/states/{ref}/occurrences',
    tag: 'vault',
    verbs: ['occurrences --of'],
    summary: "Every attempt at a state's activity",
    permission: 'view',
    params: RefC,
    answer: t.readonly(t.strict({ items: t.readonlyArray(AttemptC) }), 'Attempts'),
    read: aboutState((db, ref) => {
      const row = findStateRow(db, ref)
      return row && { items: attemptsOf(db, row.seq) }
    }),
  }),
  question({
    path: '/states/{ref}/graph',
    tag: 'vault',
    verbs: ['state graph'],
    summary: 'The transactions that led to a state and those that followed it, with their states',
    permission: 'view',
    params: RefC,
    query: t.exact(t.partial({ depth: CountC })),
    answer: GraphC,
    example: { query: { depth: '2' } },
    read: async ({ node, params, query }) => {
      const ref = await node.readViews((db) => resolveRef(db, params.ref))
      return readGraph(node, ref, Math.min(query.depth ?? 2, deepest))
    },
  }),
]
