/**
 * A criterion as a condition in SQL on one state, whatever way the state was found. It is always exact; indexes only
 * say where to look.
 */
import { toMillis } from '../../time/Instant.js'
import type { Database, SqlValue } from '../Database.js'
import { storedValue } from '../../ledger/IndexedValue.js'
import { keyOfWho, type Criterion, type Span } from '../../vault/query/Criterion.js'
import { queryInvalid } from '../../vault/query/VaultQuery.js'

/** A piece of SQL with the values of its question marks. */
export type Sql = { readonly text: string; readonly values: readonly SqlValue[] }

export const sql = (text: string, ...values: readonly SqlValue[]): Sql => ({ text, values })

export const joined = (parts: readonly Sql[], by: string): Sql => ({
  text: parts.map(({ text }) => text).join(by),
  values: parts.flatMap(({ values }) => values),
})

/** What a criterion is read with. */
export type Reading = {
  readonly db: Database
  readonly type: string | undefined
  /** The key of the party whose vault it is. */
  readonly me: string | null
  /** The flow that asks, by sequence number: what it has reserved itself is free to it. */
  readonly flowSeq?: number
}

/** The number of an indexed field; undefined when no state recorded so far has it. */
export const fieldNumber = ({ db, type }: Reading, name: string): number | undefined => {
  if (type === undefined)
    throw queryInvalid(`A query by the indexed field "${name}" needs the type of the states that have it.`, {
      field: name,
    })
  const found = db.prepare('SELECT id FROM indexed_fields WHERE type = ? AND name = ?').get(type, name)
  return found === undefined ? undefined : Number(found['id'])
}

type Range = { readonly from?: string | number | boolean; readonly until?: string | number | boolean }

/** A condition on a column that holds stored values; numbers and text are never mixed up. */
export const rangeSql = (column: string, { from, until }: Range): Sql => {
  const parts: Sql[] = []
  if (from !== undefined) parts.push(sql(`${column} >= ?`, storedValue(from)))
  if (until !== undefined) parts.push(sql(`${column} < ?`, storedValue(until)))
  // SQLite sorts all numbers before all text.
  if (from !== undefined && typeof from !== 'string' && until === undefined) parts.push(sql(`${column} < ''`))
  if (typeof until === 'string' && from === undefined) parts.push(sql(`${column} >= ''`))
  return parts.length === 0 ? sql('1') : joined(parts, ' AND ')
}

const spanSql = (column: string, { from, until }: Span): Sql => {
  const parts = [
    ...(from === undefined ? [] : [sql(`${column} >= ?`, toMillis(from))]),
    ...(until === undefined ? [] : [sql(`${column} < ?`, toMillis(until))]),
  ]
  return parts.length === 0 ? sql('1') : joined(parts, ' AND ')
}

const fieldSql = (reading: Reading, name: string, condition: Sql): Sql => {
  const field = fieldNumber(reading, name)
  if (field === undefined) return sql('0')
  return sql(
    `EXISTS (SELECT 1 FROM indexed_values x WHERE x.seq = s.seq AND x.field = ? AND ${condition.text})`,
    field,
    ...condition.values,
  )
}

const takesPart = (key: string): Sql => sql("instr(' ' || s.participants || ' ', ?) > 0", ` ${key} `)

/** The condition on `s`, the state, `t`, the transaction that made it, and `c`, the one that consumed it. */
export const criterionSql = (reading: Reading, criterion: Criterion): Sql => {
  if ('and' in criterion || 'or' in criterion) {
    const [parts, by, none] = 'and' in criterion ? [criterion.and, ' AND ', '1'] : [criterion.or, ' OR ', '0']
    if (parts.length === 0) return sql(none)
    const all = joined(
      parts.map((part) => criterionSql(reading, part)),
      by,
    )
    return { ...all, text: `(${all.text})` }
  }
  if ('not' in criterion) {
    const inner = criterionSql(reading, criterion.not)
    // What is not known of a state (it was never consumed) does not hold, so its negation does.
    return { ...inner, text: `NOT coalesce(${inner.text}, 0)` }
  }
  if ('field' in criterion) {
    if ('is' in criterion) return fieldSql(reading, criterion.field, sql('x.value = ?', storedValue(criterion.is)))
    if ('in' in criterion) {
      if (criterion.in.length === 0) return sql('0')
      const marks = criterion.in.map(() => '?').join(', ')
      return fieldSql(reading, criterion.field, sql(`x.value IN (${marks})`, ...criterion.in.map(storedValue)))
    }
    return fieldSql(reading, criterion.field, rangeSql('x.value', criterion))
  }
  if ('party' in criterion) return takesPart(keyOfWho(criterion.party))
  if ('participants' in criterion) {
    const keys = [...new Set(criterion.participants.map(keyOfWho))]
    // A state may name one of them twice. Without all of them nothing is left but what stands between two.
    const others = keys.reduce((inner) => `replace(${inner}, ?, '')`, 's.participants')
    return joined([...keys.map(takesPart), sql(`trim(${others}) = ''`, ...keys)], ' AND ')
  }
  if ('key' in criterion) return sql('s.key = ?', criterion.key)
  if ('notary' in criterion) {
    const key = keyOfWho(criterion.notary)
    return key === reading.me ? sql('t.notary IS NULL') : sql('t.notary = ?', key)
  }
  if ('recorded' in criterion) return spanSql('t.at_ms', criterion.recorded)
  if ('consumed' in criterion)
    return joined([sql('c.at_ms IS NOT NULL'), spanSql('c.at_ms', criterion.consumed)], ' AND ')
  const locked = sql(
    'EXISTS (SELECT 1 FROM soft_locks l WHERE l.state_seq = s.seq AND l.flow_seq <> ?)',
    reading.flowSeq ?? -1,
  )
  return criterion.locked ? locked : { ...locked, text: `NOT ${locked.text}` }
}
