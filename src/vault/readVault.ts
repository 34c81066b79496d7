/**
 * Questions to the vault from outside a tick. Answers come in pages with a cursor, never unbounded.
 */
import { CarillonError } from '../errors/CarillonError.js'
import { limits } from '../limits.js'
import { revisionUnknown } from '../log/revisionUnknown.js'
import { instantFromMillis, type Instant } from '../time/Instant.js'
import type { StateRef } from '../ledger/StateRef.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import type { Database, SqlRow, SqlValue } from '../views/Database.js'
import { findByHash, type Locate } from '../views/HashIndex.js'
import { readFacts } from '../views/NodeFacts.js'
import { Kinds } from './Kinds.js'
import { assessedThen, thatMoment, withMoment } from './PastAssessmentTable.js'
import type { StateRow } from './StateRow.js'
import { stateColumns, stateRowOf } from './StateTable.js'

/** A state as the vault shows it, with its data as recorded. */
export type VaultEntry = {
  readonly ref: StateRef
  readonly type: string
  readonly version: number
  /** Recorded JSON; older versions are not upcast here. */
  readonly data: unknown
  readonly relevant: boolean
  readonly recordedAt: Instant
  readonly fromRevision: number
  readonly consumedBy?: TransactionId
  readonly untilRevision?: number
}

/** Which states to list. */
export type VaultQuery = {
  /** Only states of this type. */
  readonly type?: string
  /** Only the state that is known by this key; needs a type. */
  readonly key?: string
  /** Default `unconsumed`. */
  readonly status?: 'unconsumed' | 'consumed' | 'all'
  /** States the node only stores as an observer are left out unless this is true. */
  readonly includeIrrelevant?: boolean
  /** The vault as it was right after this revision. Default: as it is. */
  readonly at?: number
  /** At most so many; default 100. */
  readonly limit?: number
  /** The cursor of the page before. */
  readonly after?: number
}

/** One page of an answer. */
export type Page<A, C = number> = {
  readonly items: readonly A[]
  /** Give it as `after` to get the next page; undefined on the last one. */
  readonly next: C | undefined
}

const defaultPage = 100

/** Refuses a page size that would make an answer unbounded. */
export const pageSize = (limit: number | undefined): number => {
  const size = limit ?? defaultPage
  if (!Number.isInteger(size) || size < 1 || size > limits.page) {
    throw new CarillonError(
      'query-unbounded',
      `A page holds 1 to ${limits.page} rows, not ${size}. Ask page by page: give the answer's next as after.`,
      { limit: size },
    )
  }
  return size
}

/** Cuts a page out of one row more than asked for, which shows whether there is another page. */
export const pageOf = <R, A, C>(
  rows: readonly R[],
  size: number,
  present: (row: R) => A,
  cursorOf: (row: R) => C,
): Page<A, C> => {
  const shown = rows.slice(0, size)
  const last = shown.at(-1)
  return { items: shown.map(present), next: rows.length > size && last !== undefined ? cursorOf(last) : undefined }
}

const columns = `${stateColumns}, t.at_ms, c.id AS consumer FROM states s JOIN transactions t ON t.seq = s.transaction_seq LEFT JOIN transactions c ON c.seq = s.consumed_by`
const select = `SELECT ${columns}`

type Found = { readonly row: StateRow; readonly atMs: number; readonly consumer: SqlValue | undefined }

const present = ({ row, atMs, consumer }: Found): VaultEntry => ({
  ref: row.ref,
  type: row.kind.type,
  version: row.kind.version,
  data: JSON.parse(row.text) as unknown,
  relevant: row.relevant,
  recordedAt: instantFromMillis(atMs),
  fromRevision: row.fromRevision,
  ...(typeof consumer === 'string' ? { consumedBy: consumer as TransactionId } : {}),
  ...(row.untilRevision === null ? {} : { untilRevision: row.untilRevision }),
})

const foundOf = (row: SqlRow, kinds: Kinds): Found => ({
  row: stateRowOf(row, kinds),
  atMs: Number(row['at_ms']),
  consumer: row['consumer'],
})

/** The states that a condition on `states s` picks, as the vault shows them. The condition bounds how many they are. */
export const vaultEntriesOf = (db: Database, condition: string, values: readonly SqlValue[]): readonly VaultEntry[] => {
  const kinds = new Kinds(db)
  return db
    .prepare(`${select} ${condition}`)
    .all(...values)
    .map((row) => present(foundOf(row, kinds)))
}

/** The revision a question is about: one the views have reached. */
const momentOf = (db: Database, at: number): number => {
  const last = readFacts(db).head.revision
  if (Number.isSafeInteger(at) && at >= -1 && at <= last) return at
  throw revisionUnknown(at, last)
}

/** Rows carry the revisions from and until which they hold, so the past is a query like any other. */
const queryPast = (db: Database, at: number, query: VaultQuery): Page<VaultEntry> => {
  const size = pageSize(query.limit)
  const kinds = new Kinds(db)
  const conditions = [`s.from_revision <= ${thatMoment}`, 's.seq > ?']
  const values: SqlValue[] = [momentOf(db, at), query.after ?? 0]
  if (query.type !== undefined) {
    const ids = kinds.idsOfType(query.type)
    if (ids.length === 0) return { items: [], next: undefined }
    conditions.push(`s.kind IN (${ids.join(', ')})`)
  }
  if (query.key !== undefined) {
    conditions.push(`${assessedThen('key')} = ?`)
    values.push(query.key)
  }
  const status = query.status ?? 'unconsumed'
  if (status === 'unconsumed') conditions.push(`(s.until_revision IS NULL OR s.until_revision > ${thatMoment})`)
  if (status === 'consumed') conditions.push(`s.until_revision <= ${thatMoment}`)
  if (query.includeIrrelevant !== true) conditions.push(`${assessedThen('relevant')} = 1`)
  const then = (row: SqlRow): Found => {
    const { row: now, atMs, consumer } = foundOf(row, kinds)
    const relevant = row['relevant_then'] === 1
    return now.untilRevision === null || now.untilRevision > at
      ? { row: { ...now, relevant, untilRevision: null }, atMs, consumer: undefined }
      : { row: { ...now, relevant }, atMs, consumer }
  }
  const found = db
    .prepare(
      `${withMoment} SELECT ${assessedThen('relevant')} AS relevant_then, ${columns} WHERE ${conditions.join(' AND ')} ORDER BY s.seq LIMIT ?`,
    )
    .all(...values, size + 1)
    .map(then)
  return pageOf(found, size, present, ({ row }) => row.seq)
}

export const queryVault = (db: Database, query: VaultQuery = {}): Page<VaultEntry> => {
  if (query.at !== undefined) return queryPast(db, query.at, query)
  const size = pageSize(query.limit)
  const kinds = new Kinds(db)
  const conditions = ['s.seq > ?']
  const values: SqlValue[] = [query.after ?? 0]
  if (query.type !== undefined) {
    const ids = kinds.idsOfType(query.type)
    if (ids.length === 0) return { items: [], next: undefined }
    conditions.push(`s.kind IN (${ids.join(', ')})`)
  }
  if (query.key !== undefined) {
    conditions.push('s.key = ?')
    values.push(query.key)
  }
  const status = query.status ?? 'unconsumed'
  if (status !== 'all') conditions.push(`s.until_revision IS ${status === 'consumed' ? 'NOT ' : ''}NULL`)
  if (query.includeIrrelevant !== true) conditions.push('s.relevant = 1')
  const rows = db.prepare(`${select} WHERE ${conditions.join(' AND ')} ORDER BY s.seq LIMIT ?`).all(...values, size + 1)
  const found = rows.map((row) => foundOf(row, kinds))
  return pageOf(found, size, present, ({ row }) => row.seq)
}

const byHash =
  (db: Database): Locate =>
  (id) =>
    findByHash(db, 'transactions', id)

const findRow = (db: Database, ref: StateRef, locate: Locate): Found | undefined => {
  const transaction = locate(ref.transaction)
  if (transaction === undefined) return undefined
  const first = Number(
    db.prepare('SELECT first_state FROM transactions WHERE seq = ?').get(transaction)?.['first_state'],
  )
  const row = db.prepare(`${select} WHERE s.seq = ? AND s.transaction_seq = ?`).get(first + ref.index, transaction)
  return row === undefined ? undefined : foundOf(row, new Kinds(db))
}

/** One state by ref, consumed or not. */
export const findState = (db: Database, ref: StateRef, locate: Locate = byHash(db)): VaultEntry | undefined => {
  const found = findRow(db, ref, locate)
  return found === undefined ? undefined : present(found)
}

/** One state's row by ref, for whoever explains it. */
export const findStateRow = (db: Database, ref: StateRef, locate: Locate = byHash(db)): StateRow | undefined =>
  findRow(db, ref, locate)?.row

/** How many states there are, by type and whether they are consumed. */
export const countStates = (
  db: Database,
): readonly { readonly type: string; readonly unconsumed: number; readonly consumed: number }[] =>
  db
    .prepare(
      'SELECT k.type AS type, count(*) - count(s.until_revision) AS unconsumed, count(s.until_revision) AS consumed FROM states s JOIN kinds k ON k.id = s.kind GROUP BY k.type ORDER BY k.type',
    )
    .all()
    .map((row) => ({
      type: String(row['type']),
      unconsumed: Number(row['unconsumed']),
      consumed: Number(row['consumed']),
    }))
