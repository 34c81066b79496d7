/**
 * Answers a query with the numbers of the states it means, one page of them, and the cursor of the next page.
 */
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import { canonicalText } from '../../encoding/canonical.js'
import { IntegerC } from '../../encoding/IntegerC.js'
import type { Database } from '../Database.js'
import type { StateTypeTable } from '../tables/StateTypeTable.js'
import { criterionSql, joined, sql, type Reading, type Sql } from './criterionSql.js'
import type { Criterion } from '../../vault/query/Criterion.js'
import { branchesOf, streamSql, type StreamPlace, type StateStream } from './streams.js'
import {
  assertCriteria,
  pageSize,
  queryInvalid,
  type Page,
  type Sort,
  type StateCriteria,
  type VaultQuery,
} from '../../vault/query/VaultQuery.js'

/** Where a query is asked: in a vault, perhaps by a flow, perhaps about what was recorded up to a revision. */
export type QueryScope = {
  readonly db: Database
  readonly kinds: StateTypeTable
  readonly me: string | null
  readonly flowSeq?: number
  readonly asOf?: number | undefined
}

const inLogOrder: Sort = { by: 'recorded' }

/** The streams whose union a query means. */
export const streamsOf = ({ kinds }: QueryScope, criteria: StateCriteria): readonly StateStream[] => {
  assertCriteria(criteria)
  const { type, key, status = 'unconsumed', includeIrrelevant = false } = criteria
  if (key !== undefined && type === undefined)
    throw queryInvalid('A key is one of the states of a type. Say of which type: { type, key }.')
  const parts: readonly Criterion[] = [
    ...(key === undefined ? [] : [{ key }]),
    ...(criteria.where === undefined ? [] : [criteria.where]),
  ]
  const ids = type === undefined ? kinds.ids() : kinds.idsOfType(type)
  const used = status === 'all' ? [true, false] : [status === 'unconsumed']
  return branchesOf({ and: parts }).flatMap((conjunction) =>
    used.flatMap((unconsumed) =>
      // One kind at a time: within it the index is in log order, across several it would have to be sorted.
      ids.map((id) => ({ kinds: [id], unconsumed, conjunction, includeIrrelevant })),
    ),
  )
}

export const readingOf = ({ db, me, flowSeq }: QueryScope, { type }: StateCriteria): Reading => ({
  db,
  type,
  me,
  ...(flowSeq === undefined ? {} : { flowSeq }),
})

const PlaceC = t.tuple([t.union([t.string, t.number]), IntegerC])

const cursorOf = (sort: Sort, { value, seq }: StreamPlace): string =>
  sort.by === 'recorded' ? String(seq) : encodeURIComponent(canonicalText([value, seq]))

const placeOf = (sort: Sort, cursor: string | undefined): StreamPlace | undefined => {
  if (cursor === undefined) return undefined
  const refuse = (): never => {
    throw queryInvalid(
      `"${cursor}" is not a cursor of this query. Give as after what the page before gave as next, with the same sort.`,
    )
  }
  if (typeof cursor !== 'string') return refuse()
  if (sort.by === 'recorded')
    return /^\d{1,15}$/.test(cursor) ? { value: Number(cursor), seq: Number(cursor) } : refuse()
  try {
    const decoded = PlaceC.decode(JSON.parse(decodeURIComponent(cursor)))
    return isLeft(decoded) ? refuse() : { value: decoded.right[0], seq: decoded.right[1] }
  } catch {
    return refuse()
  }
}

const compareText = (a: string, b: string): number => {
  let place = 0
  while (place < a.length && a.charCodeAt(place) === b.charCodeAt(place)) place += 1
  // Where they differ within a pair of surrogates, the pair's code point is at its beginning.
  const isSecond = place > 0 && (a.charCodeAt(place) & 0xfc00) === 0xdc00 && (b.charCodeAt(place) & 0xfc00) === 0xdc00
  const from = isSecond ? place - 1 : place
  return (a.codePointAt(from) ?? -1) - (b.codePointAt(from) ?? -1)
}

/** As SQLite orders: numbers before text, text by its code points. */
const compareValues = (a: string | number, b: string | number): number => {
  if (typeof a === 'number') return typeof b === 'number' ? a - b : -1
  return typeof b === 'number' ? 1 : compareText(a, b)
}

/** One page of what a query means, by sequence numbers. */
export const findStateNumbers = (asked: QueryScope, query: VaultQuery): Page<number, string> => {
  const size = pageSize(query.limit)
  const sort = query.sort ?? inLogOrder
  if (sort.by === 'consumed' && query.status !== 'consumed')
    throw queryInvalid("Only consumed states can be sorted by when that was. Ask with status: 'consumed'.")
  const reading = readingOf(asked, query)
  const after = placeOf(sort, query.after)
  const cut = { after, limit: size + 1, asOf: asked.asOf }
  const found = new Map<number, StreamPlace>()
  for (const stream of streamsOf(asked, query)) {
    const statement = streamSql(reading, stream, sort, cut)
    for (const row of asked.db.prepare(statement.text).iterate(...statement.values)) {
      const seq = Number(row['seq'])
      found.set(seq, { seq, value: row['value'] as string | number })
    }
  }
  const way = sort.descending === true ? -1 : 1
  const places = [...found.values()].sort((a, b) => way * (compareValues(a.value, b.value) || a.seq - b.seq))
  const shown = places.slice(0, size)
  const last = shown.at(-1)
  return {
    items: shown.map(({ seq }) => seq),
    next: places.length > size && last !== undefined ? cursorOf(sort, last) : undefined,
  }
}

/** A statement that answers with a row when the state of the first value is one that the criteria mean. */
export const memberSql = (asked: QueryScope, criteria: StateCriteria): Sql => {
  const streams = streamsOf(asked, criteria)
  const reading = readingOf(asked, criteria)
  const conditions = streams.map(({ kinds, unconsumed, conjunction, includeIrrelevant }) =>
    joined(
      [
        sql(`s.kind IN (${kinds.join(', ')})`),
        sql(`s.until_revision IS ${unconsumed ? '' : 'NOT '}NULL`),
        ...(includeIrrelevant ? [] : [sql('s.relevant = 1')]),
        ...conjunction.map((criterion) => criterionSql(reading, criterion)),
      ],
      ' AND ',
    ),
  )
  const any = joined(conditions, ') OR (')
  return {
    text: `SELECT 1 AS member FROM states s JOIN transactions t ON t.seq = s.transaction_seq LEFT JOIN transactions c ON c.seq = s.consumed_by WHERE s.seq = ? AND ((${any.text === '' ? '0' : any.text}))`,
    values: any.values,
  }
}
