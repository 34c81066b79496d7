/**
 * Counts and sums over states: how many there are, and of an indexed field the sum and the bounds, perhaps for each
 * value of another one. It goes over a bounded number of states, and says so when there are more.
 */
import { CarillonError } from '../../errors/CarillonError.js'
import { queryLimits } from '../limits.js'
import { vaultLimits } from '../../vault/limits.js'
import type { SqlValue } from '../Database.js'
import { fieldNumber, joined, sql } from './criterionSql.js'
import { readingOf, streamsOf, type QueryScope } from './findStateNumbers.js'
import { streamSql } from './streams.js'
import type { Aggregate, VaultAggregate } from '../../vault/query/VaultAggregate.js'

const numberOr = (value: SqlValue | undefined): number | undefined => (typeof value === 'number' ? value : undefined)

const plain = (value: SqlValue | undefined): string | number | undefined =>
  typeof value === 'string' || typeof value === 'number' ? value : undefined

const tooMany = (what: string): CarillonError =>
  new CarillonError(
    'query-unbounded',
    `The aggregate goes over more than ${what}. Narrow it, for example to a span of time: { recorded: { from, until } }.`,
    {},
  )

export const aggregateStates = (asked: QueryScope, { of, by, ...criteria }: VaultAggregate): readonly Aggregate[] => {
  const { db } = asked
  const reading = readingOf(asked, criteria)
  const matched = joined(
    streamsOf(asked, criteria).map((stream) => {
      const { text, values } = streamSql(reading, stream, { by: 'recorded' }, { asOf: asked.asOf })
      return sql(`SELECT seq FROM (${text})`, ...values)
    }),
    ' UNION ',
  )
  if (matched.text === '') return by === undefined ? [{ count: 0 }] : []
  const bounded = sql(`SELECT seq FROM (${matched.text}) LIMIT ${queryLimits.aggregatedStates + 1}`, ...matched.values)
  const field = (alias: string, name: string | undefined) =>
    name === undefined
      ? sql('')
      : sql(
          ` JOIN indexed_values ${alias} ON ${alias}.seq = m.seq AND ${alias}.field = ?`,
          fieldNumber(reading, name) ?? -1,
        )
  const joins = [field('o', of), field('g', by)]
  const figures =
    of === undefined
      ? ''
      : ", sum(o.value) FILTER (WHERE typeof(o.value) <> 'text') AS sum, avg(o.value) FILTER (WHERE typeof(o.value) <> 'text') AS average, min(o.value) AS min, max(o.value) AS max"
  const text = `WITH m(seq) AS MATERIALIZED (${bounded.text}) SELECT ${by === undefined ? '' : 'g.value AS grouped, '}(SELECT count(*) FROM m) AS gone_over, count(*) AS count${figures} FROM m${joins.map((join) => join.text).join('')}${by === undefined ? '' : ` GROUP BY g.value ORDER BY g.value LIMIT ${vaultLimits.page + 1}`}`
  const rows = db.prepare(text).all(...bounded.values, ...joins.flatMap(({ values }) => values))
  if (rows.some((row) => Number(row['gone_over']) > queryLimits.aggregatedStates))
    throw tooMany(`${queryLimits.aggregatedStates} states`)
  if (rows.length > vaultLimits.page) throw tooMany(`${vaultLimits.page} groups`)
  return rows.map((row) => {
    const group = plain(row['grouped'])
    const [sum, average] = [numberOr(row['sum']), numberOr(row['average'])]
    const [min, max] = [plain(row['min']), plain(row['max'])]
    return {
      ...(group === undefined ? {} : { group }),
      count: Number(row['count']),
      ...(sum === undefined ? {} : { sum }),
      ...(average === undefined ? {} : { average }),
      ...(min === undefined ? {} : { min }),
      ...(max === undefined ? {} : { max }),
    }
  })
}
