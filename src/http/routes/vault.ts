/**
 * The vault: states by type and text, one state with its story, and its neighbourhood on the ledger.
 */
import * as t from 'io-ts'
import { CarillonError } from '../../errors/CarillonError.js'
import { httpLimits } from '../limits.js'
import type { Node } from '../../node/Node.js'
import { pageSize, type Page, type VaultQuery } from '../../vault/query/VaultQuery.js'
import { findState } from '../../storage/queries/readVault.js'
import { containsText, type VaultEntry } from '../../vault/VaultEntry.js'
import { resolveRef } from '../../storage/queries/resolveRef.js'
import { AttemptC, GraphC, pageOfC, StateTypeC, VaultEntryC, WhyC } from '../answers.js'
import { CountC, FlagC, RefTextC } from '../codecs.js'
import { readGraph } from '../questions/readGraph.js'
import { route } from '../Route.js'
import { pageAnswer } from './paging.js'

const StatusC = t.keyof({ unconsumed: null, consumed: null, all: null })
const deepest = 6

const RefC = t.strict({ ref: RefTextC })

/**
 * States whose recorded text contains something. A search looks at so many states and no more, then answers with what
 * it found and where to go on: a page may be short, or even empty, without being the last.
 */
const search = async (node: Node, query: VaultQuery, text: string): Promise<Page<VaultEntry, string>> => {
  const size = pageSize(query.limit)
  let { after } = query
  for (let looked = 0; ; looked += size) {
    const page = await node.queryVault({ ...query, limit: size, ...(after === undefined ? {} : { after }) })
    const items = page.items.filter((entry) => containsText(entry, text))
    after = page.next
    if (items.length > 0 || after === undefined || looked >= httpLimits.searchedStates) return { items, next: after }
  }
}

export const vaultRoutes = [
  route({
    method: 'GET',
    path: '/states',
    tag: 'vault',
    verbs: ['vault'],
    summary: 'The states of the vault, oldest first, by type, key, condition or text',
    permission: 'view',
    query: t.exact(
      t.partial({
        type: t.string,
        key: t.string,
        status: StatusC,
        text: t.string,
        includeIrrelevant: FlagC,
        limit: CountC,
        after: t.string,
      }),
    ),
    answer: pageOfC(VaultEntryC),
    example: { query: { status: 'all', limit: '10' } },
    handle: async ({ hosted: { node }, query: { text, includeIrrelevant, ...query } }) => {
      const asked = { ...query, includeIrrelevant: includeIrrelevant === 'true' }
      const found = text === undefined || text === '' ? await node.queryVault(asked) : await search(node, asked, text)
      return pageAnswer(found)
    },
  }),
  route({
    method: 'GET',
    path: '/states/types',
    tag: 'vault',
    verbs: ['vault --types'],
    summary: 'The types of states, and how many of each are unconsumed',
    permission: 'view',
    answer: t.readonly(t.strict({ types: t.readonlyArray(StateTypeC) }), 'StateTypes'),
    handle: async ({ hosted }) => ({
      types: await hosted.node.readViews((db) =>
        db
          .prepare(
            'SELECT type, sum(n) AS unconsumed FROM (SELECT k.type AS type, (SELECT count(*) FROM states s WHERE s.kind = k.id AND s.until_revision IS NULL) AS n FROM kinds k) GROUP BY type ORDER BY type',
          )
          .all()
          .map((row) => ({ type: String(row['type']), unconsumed: Number(row['unconsumed']) })),
      ),
    }),
  }),
  route({
    method: 'GET',
    path: '/states/{ref}',
    tag: 'vault',
    verbs: ['state show'],
    summary: 'One state, consumed or not',
    permission: 'view',
    params: RefC,
    answer: VaultEntryC,
    handle: ({ hosted: { node }, params }) =>
      node.readViews((db) => {
        const found = findState(db, resolveRef(db, params.ref))
        if (found === undefined)
          throw new CarillonError('state-unknown', `This node holds no state ${params.ref}.`, { ref: params.ref })
        return found
      }),
  }),
  route({
    method: 'GET',
    path: '/states/{ref}/why',
    tag: 'vault',
    verbs: ['why'],
    summary: "Why a state's activity has run, has not run, or will run, in sentences",
    permission: 'view',
    params: RefC,
    answer: WhyC,
    handle: async ({ hosted: { node }, params }) => node.why(await node.readViews((db) => resolveRef(db, params.ref))),
  }),
  route({
    method: 'GET',
    path: '/states/{ref}/occurrences',
    tag: 'vault',
    verbs: ['occurrences --of'],
    summary: "Every attempt at a state's activity",
    permission: 'view',
    params: RefC,
    answer: t.readonly(t.strict({ items: t.readonlyArray(AttemptC) }), 'Attempts'),
    handle: async ({ hosted: { node }, params }) => ({
      items: await node.occurrences(await node.readViews((db) => resolveRef(db, params.ref))),
    }),
  }),
  route({
    method: 'GET',
    path: '/states/{ref}/graph',
    tag: 'vault',
    verbs: ['state graph'],
    summary: 'The transactions that led to a state and those that followed it, with their states',
    permission: 'view',
    params: RefC,
    query: t.exact(t.partial({ depth: CountC })),
    answer: GraphC,
    example: { query: { depth: '2' } },
    handle: async ({ hosted: { node }, params, query }) => {
      const ref = await node.readViews((db) => resolveRef(db, params.ref))
      return readGraph(node, ref, Math.min(query.depth ?? 2, deepest))
    },
  }),
]
