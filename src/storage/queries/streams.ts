/**
 * How a query is answered: as streams of states, each found through one index and each in the order that is asked
 * for, which are merged. An `or` becomes one stream for each of its branches, so that every branch has its index.
 */
import { queryLimits } from '../limits.js'
import { toMillis } from '../../time/Instant.js'
import type { SqlValue } from '../Database.js'
import { transactionsBetween } from '../tables/ClockStepTable.js'
import { storedValue } from '../../ledger/IndexedValue.js'
import { keyOfWho, type Criterion } from '../../vault/query/Criterion.js'
import { criterionSql, fieldNumber, joined, rangeSql, sql, type Reading, type Sql } from './criterionSql.js'
import type { Sort } from '../../vault/query/VaultQuery.js'

/** One way through the vault: states of these kinds, used up or not, that meet all of these criteria. */
export type StateStream = {
  readonly kinds: readonly number[]
  readonly unconsumed: boolean
  readonly conjunction: readonly Criterion[]
  readonly includeIrrelevant: boolean
}

/** Where an index is entered, and what is known of the states found there. */
type Entrance = {
  /** The index as the first table of the statement, with the state joined to it. */
  readonly from: string
  readonly where: Sql
  /** The indexed field it goes by, if it is one. */
  readonly field?: string
  /** Whether it gives states in the order that is asked for. */
  readonly isOrdered: boolean
  /** How many states it leads to, counted up to a limit; undefined when that is not worth counting. */
  readonly count?: Sql
}

/** The ands of a criterion, taken apart; an `or` is left whole. */
const conjuncts = (criterion: Criterion): readonly Criterion[] =>
  'and' in criterion ? criterion.and.flatMap(conjuncts) : [criterion]

/** Conjunctions of which a state must meet one: the ors taken apart, as long as there are not too many. */
export const branchesOf = (criterion: Criterion | undefined): readonly (readonly Criterion[])[] => {
  if (criterion === undefined) return [[]]
  let branches: readonly (readonly Criterion[])[] = [[]]
  for (const part of conjuncts(criterion)) {
    const options: readonly (readonly Criterion[])[] =
      'or' in part
        ? part.or.flatMap(branchesOf)
        : 'in' in part
          ? part.in.map((value) => [{ field: part.field, is: value }])
          : [[part]]
    branches =
      branches.length * options.length > queryLimits.branchesPerQuery
        ? branches.map((branch) => [...branch, part])
        : branches.flatMap((branch) => options.map((option) => [...branch, ...option]))
  }
  return branches
}

const seqBounds = (column: string, reading: Reading, conjunction: readonly Criterion[]): readonly Sql[] =>
  conjunction.flatMap((criterion) => {
    if (!('recorded' in criterion)) return []
    const { from, until } = criterion.recorded
    const range = transactionsBetween(reading.db, {
      fromMs: from === undefined ? undefined : toMillis(from),
      untilMs: until === undefined ? undefined : toMillis(until),
    })
    const first = (transaction: number): number | undefined => {
      const row = reading.db.prepare('SELECT first_state FROM transactions WHERE seq = ?').get(transaction)
      return row === undefined ? undefined : Number(row['first_state'])
    }
    const lowest = first(range.from) ?? Number.MAX_SAFE_INTEGER
    const before = first(range.before)
    return [
      ...(from === undefined ? [] : [sql(`${column} >= ?`, lowest)]),
      ...(until === undefined || before === undefined ? [] : [sql(`${column} < ?`, before)]),
    ]
  })

const revisionBounds = (column: string, reading: Reading, conjunction: readonly Criterion[]): readonly Sql[] =>
  conjunction.flatMap((criterion) => {
    if (!('consumed' in criterion)) return []
    const { from, until } = criterion.consumed
    const range = transactionsBetween(reading.db, {
      fromMs: from === undefined ? undefined : toMillis(from),
      untilMs: until === undefined ? undefined : toMillis(until),
    })
    const revision = (transaction: number): number | undefined => {
      const row = reading.db.prepare('SELECT revision FROM transactions WHERE seq = ?').get(transaction)
      return row === undefined ? undefined : Number(row['revision'])
    }
    const before = revision(range.before)
    return [
      sql(`${column} >= ?`, revision(range.from) ?? Number.MAX_SAFE_INTEGER),
      ...(before === undefined ? [] : [sql(`${column} < ?`, before)]),
    ]
  })

const marks = (values: readonly SqlValue[]): string => values.map(() => '?').join(', ')

const probe = (from: string, where: Sql): Sql => ({
  text: `SELECT count(*) AS count FROM (SELECT 1 FROM ${from} WHERE ${where.text} LIMIT ${queryLimits.queryProbe})`,
  values: where.values,
})

const all = (...parts: readonly Sql[]): Sql => joined(parts, ' AND ')

const found = 'indexed_values v INDEXED BY indexed_values_found'
const toState = (table: string): string => `${table} CROSS JOIN states s ON s.seq = ${table.split(' ')[1] ?? ''}.seq`

/** The entrances that criteria open. */
const entrancesOf = (reading: Reading, stream: StateStream, sort: Sort): readonly Entrance[] => {
  const { conjunction, kinds } = stream
  const unconsumed = stream.unconsumed ? 1 : 0
  const isRecorded = sort.by === 'recorded'
  const sortField = typeof sort.by === 'object' ? sort.by.field : undefined
  return conjunction.flatMap((criterion): readonly Entrance[] => {
    if ('key' in criterion) {
      const where = all(
        sql(`s.kind IN (${marks(kinds)})`, ...kinds),
        sql('s.key = ?', criterion.key),
        sql(`s.until_revision IS ${stream.unconsumed ? '' : 'NOT '}NULL`),
      )
      const from = 'states s INDEXED BY states_keyed'
      return [{ from, where, isOrdered: false, count: probe(from, where) }]
    }
    if ('party' in criterion) {
      const key = keyOfWho(criterion.party)
      if (key === reading.me) return []
      const party = reading.db.prepare('SELECT id FROM known_parties WHERE key = ?').get(key)?.['id'] ?? -1
      const table = 'state_parties p'
      const where = all(
        sql('p.party = ? AND p.unconsumed = ?', party, unconsumed),
        ...seqBounds('p.seq', reading, conjunction),
      )
      return [{ from: toState(table), where, isOrdered: isRecorded, count: probe(table, where) }]
    }
    if ('field' in criterion && !('in' in criterion)) {
      const field = fieldNumber(reading, criterion.field) ?? -1
      const isEqual = 'is' in criterion
      const value = isEqual ? sql('v.value = ?', storedValue(criterion.is)) : rangeSql('v.value', criterion)
      const bounds = isEqual ? seqBounds('v.seq', reading, conjunction) : []
      const where = all(sql('v.field = ? AND v.unconsumed = ?', field, unconsumed), value, ...bounds)
      const isOrdered = (isRecorded && isEqual) || criterion.field === sortField
      return [{ from: toState(found), where, field: criterion.field, isOrdered, count: probe(found, where) }]
    }
    if ('consumed' in criterion && !stream.unconsumed) {
      const where = all(
        sql(`s.kind IN (${marks(kinds)})`, ...kinds),
        sql('s.until_revision IS NOT NULL'),
        ...revisionBounds('s.until_revision', reading, [criterion]),
      )
      const from = 'states s INDEXED BY states_consumed'
      return [{ from, where, isOrdered: sort.by === 'consumed' && kinds.length === 1, count: probe(from, where) }]
    }
    return []
  })
}

/** The way in when no criterion opens one: by the order that is asked for, or through all states of the kind. */
const plainEntrances = (reading: Reading, stream: StateStream, sort: Sort): readonly [Entrance, ...Entrance[]] => {
  const { kinds, conjunction } = stream
  const kind = sql(`s.kind IN (${marks(kinds)})`, ...kinds)
  const bounds = seqBounds('s.seq', reading, conjunction)
  if (typeof sort.by === 'object') {
    const field = fieldNumber(reading, sort.by.field) ?? -1
    const where = all(sql('v.field = ? AND v.unconsumed = ?', field, stream.unconsumed ? 1 : 0), kind)
    return [{ from: toState(found), where, field: sort.by.field, isOrdered: true }]
  }
  if (stream.unconsumed) {
    const where = all(kind, sql('s.until_revision IS NULL'), ...bounds)
    return [{ from: 'states s INDEXED BY states_unconsumed', where, isOrdered: kinds.length === 1 }]
  }
  const where = all(kind, sql('s.until_revision IS NOT NULL'), ...bounds)
  const byConsumption = 'states s INDEXED BY states_consumed'
  if (sort.by === 'consumed') return [{ from: byConsumption, where, isOrdered: kinds.length === 1 }]
  return [
    { from: byConsumption, where, isOrdered: false, count: probe(byConsumption, where) },
    // With many of them the log itself is the way: it has them in order, and dense enough.
    { from: 'states s NOT INDEXED', where, isOrdered: true },
  ]
}

/** The narrowest entrance if it is narrow; among wide ones, one that needs no sorting. */
const choose = (
  reading: Reading,
  entrances: readonly Entrance[],
  plain: readonly [Entrance, ...Entrance[]],
): Entrance => {
  let narrowest: { readonly entrance: Entrance; readonly count: number } | undefined
  const open = [...entrances, ...plain]
  for (const entrance of open) {
    if (entrance.count === undefined) continue
    const count = Number(reading.db.prepare(entrance.count.text).get(...entrance.count.values)?.['count'])
    if (narrowest === undefined || count < narrowest.count) narrowest = { entrance, count }
  }
  if (narrowest !== undefined && narrowest.count < queryLimits.queryProbe) return narrowest.entrance
  return open.find(({ isOrdered }) => isOrdered) ?? plain[0]
}

/** Where a page goes on: the sorted value and the number of the last state before it. */
export type StreamPlace = { readonly value: string | number; readonly seq: number }

/** The column a page is sorted by: of the index the states were found in, or of the one joined for it. */
const sortColumn = (sort: Sort, entrance: Entrance): string => {
  if (sort.by === 'recorded') return 's.seq'
  if (sort.by === 'consumed') return 's.until_revision'
  return entrance.field === sort.by.field ? 'v.value' : 'w.value'
}

const afterSql = (column: string, sort: Sort, { value, seq }: StreamPlace): Sql => {
  const beyond = sort.descending === true ? '<' : '>'
  return sort.by === 'recorded'
    ? sql(`s.seq ${beyond} ?`, seq)
    : sql(`${column} ${beyond}= ? AND (${column} ${beyond} ? OR s.seq ${beyond} ?)`, value, value, seq)
}

/** What part of a stream is wanted: after a place, at most so many, of those recorded up to a revision. */
export type Cut = {
  readonly after?: StreamPlace | undefined
  readonly limit?: number
  readonly asOf?: number | undefined
}

/** The statement that gives a stream: number and sorted value of each state, in order where a limit is given. */
export const streamSql = (reading: Reading, stream: StateStream, sort: Sort, cut: Cut): Sql => {
  const { conjunction, includeIrrelevant, unconsumed, kinds } = stream
  const entrance = choose(reading, entrancesOf(reading, stream, sort), plainEntrances(reading, stream, sort))
  const column = sortColumn(sort, entrance)
  const joinedField =
    typeof sort.by === 'object' && column === 'w.value'
      ? sql(' CROSS JOIN indexed_values w ON w.seq = s.seq AND w.field = ?', fieldNumber(reading, sort.by.field) ?? -1)
      : sql('')
  const where = all(
    entrance.where,
    sql(`s.kind IN (${marks(kinds)})`, ...kinds),
    sql(`s.until_revision IS ${unconsumed ? '' : 'NOT '}NULL`),
    ...(includeIrrelevant ? [] : [sql('s.relevant = 1')]),
    ...(cut.asOf === undefined ? [] : [sql('s.from_revision <= ?', cut.asOf)]),
    ...conjunction.map((criterion) => criterionSql(reading, criterion)),
    ...(cut.after === undefined ? [] : [afterSql(column, sort, cut.after)]),
  )
  const direction = sort.descending === true ? 'DESC' : 'ASC'
  const order = sort.by === 'recorded' ? `s.seq ${direction}` : `${column} ${direction}, s.seq ${direction}`
  const text = [
    `SELECT s.seq AS seq, ${column} AS value FROM ${entrance.from}${joinedField.text}`,
    /\bt\./.test(where.text) ? ' JOIN transactions t ON t.seq = s.transaction_seq' : '',
    /\bc\./.test(where.text) ? ' LEFT JOIN transactions c ON c.seq = s.consumed_by' : '',
    ` WHERE ${where.text}`,
    cut.limit === undefined ? '' : ` ORDER BY ${order} LIMIT ?`,
  ].join('')
  return {
    text,
    values: [...joinedField.values, ...where.values, ...(cut.limit === undefined ? [] : [cut.limit])],
  }
}
