/**
 * Questions to the vault from outside a tick. Answers come in pages with a cursor, never unbounded.
 */
import { revisionUnknown } from '../../log/revisionUnknown.js'
import type { FlowId } from '../../log/FlowId.js'
import { instantFromMillis, type Instant } from '../../time/Instant.js'
import type { StateRef } from '../../ledger/StateRef.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import type { Database, SqlValue } from '../Database.js'
import { findByHash, type Locate } from '../tables/HashIndex.js'
import { readFacts } from '../tables/NodeFactTable.js'
import { StateTypeTable } from '../tables/StateTypeTable.js'
import { assessedThen, thatMoment, withMoment } from '../tables/PastAssessmentTable.js'
import { aggregateStates } from './aggregateStates.js'
import { memberSql, findStateNumbers, type QueryScope } from './findStateNumbers.js'
import { pageSize, queryInvalid, type Page, type StateCriteria, type VaultQuery } from '../../vault/query/VaultQuery.js'
import type { Aggregate, VaultAggregate } from '../../vault/query/VaultAggregate.js'
import type { VaultEntry } from '../../vault/VaultEntry.js'
import { pageOf } from './pageOf.js'
import { stateColumns, stateRowOf, stateWidth } from '../tables/stateColumns.js'
import type { ActivityRow } from '../../agenda/ActivityRow.js'

const columns = `${stateColumns}, t.at_ms, c.id, c.at_ms`
const from =
  'FROM states s JOIN transactions t ON t.seq = s.transaction_seq LEFT JOIN transactions c ON c.seq = s.consumed_by'
const select = `SELECT ${columns} ${from}`

/** A state's row, and what its transaction and the one that has consumed it say. */
type Found = {
  readonly row: ActivityRow
  readonly recordedMs: number
  readonly consumed: { readonly by: TransactionId; readonly atMs: number } | undefined
}

const foundIn = (raw: readonly SqlValue[], kinds: StateTypeTable): Found => {
  const [recordedMs, consumer, consumedMs] = raw.slice(stateWidth)
  return {
    row: stateRowOf(raw, kinds),
    recordedMs: Number(recordedMs),
    consumed: typeof consumer === 'string' ? { by: consumer as TransactionId, atMs: Number(consumedMs) } : undefined,
  }
}

const present = ({ row, recordedMs, consumed }: Found): VaultEntry => ({
  ref: row.ref,
  type: row.kind.type,
  version: row.kind.version,
  data: JSON.parse(row.text) as unknown,
  relevant: row.relevant,
  ...(row.key === null ? {} : { key: row.key }),
  participants: row.participants === '' ? [] : row.participants.split(' '),
  recordedAt: instantFromMillis(recordedMs),
  fromRevision: row.fromRevision,
  ...(consumed === undefined ? {} : { consumedBy: consumed.by, consumedAt: instantFromMillis(consumed.atMs) }),
  ...(row.untilRevision === null ? {} : { untilRevision: row.untilRevision }),
})

const askedOf = (db: Database, asOf: number | undefined): QueryScope => ({
  db,
  kinds: new StateTypeTable(db),
  me: readFacts(db).partyKey,
  asOf,
})

/** The states that a condition on `states s` picks, as the vault shows them. The condition bounds how many they are. */
export const vaultEntriesOf = (db: Database, condition: string, values: readonly SqlValue[]): readonly VaultEntry[] => {
  const kinds = new StateTypeTable(db)
  return db
    .prepare(`${select} ${condition}`)
    .lists(...values)
    .map((row) => present(foundIn(row, kinds)))
}

/** The revision a question is about: one the views have reached. */
const momentOf = (db: Database, at: number): number => {
  const last = readFacts(db).head.revision
  if (Number.isSafeInteger(at) && at >= -1 && at <= last) return at
  throw revisionUnknown(at, last)
}

/** Rows carry the revisions from and until which they hold, so the past is a query like any other. */
const queryPast = (db: Database, at: number, query: VaultQuery): Page<VaultEntry, string> => {
  if (query.where !== undefined || query.sort !== undefined)
    throw queryInvalid(
      'The past can be asked by type, key and status only. Leave out where and sort, or ask about the vault as it is.',
    )
  const size = pageSize(query.limit)
  const kinds = new StateTypeTable(db)
  const conditions = [`s.from_revision <= ${thatMoment}`, 's.seq > ?']
  const values: SqlValue[] = [momentOf(db, at), Number(query.after ?? 0)]
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
  const then = (raw: readonly SqlValue[]): Found => {
    const now = foundIn(raw, kinds)
    const relevant = raw.at(-1) === 1
    const { untilRevision } = now.row
    return untilRevision === null || untilRevision > at
      ? { ...now, row: { ...now.row, relevant, untilRevision: null }, consumed: undefined }
      : { ...now, row: { ...now.row, relevant } }
  }
  const found = db
    .prepare(
      `${withMoment} SELECT ${columns}, ${assessedThen('relevant')} ${from} WHERE ${conditions.join(' AND ')} ORDER BY s.seq LIMIT ?`,
    )
    .lists(...values, size + 1)
    .map(then)
  const { items, next } = pageOf(found, size, present, ({ row }) => row.seq)
  return { items, next: next === undefined ? undefined : String(next) }
}

/** A page of states. With `asOf`, of those that were recorded up to that revision. */
export const queryVault = (db: Database, query: VaultQuery = {}, asOf?: number): Page<VaultEntry, string> => {
  if (query.at !== undefined) return queryPast(db, query.at, query)
  const asked = askedOf(db, asOf)
  const { items, next } = findStateNumbers(asked, query)
  return { items: entriesOf(db, asked.kinds, items), next }
}

const entriesOf = (db: Database, kinds: StateTypeTable, seqs: readonly number[]): readonly VaultEntry[] => {
  const bySeq = db.prepare(`${select} WHERE s.seq = ?`)
  return seqs.flatMap((seq) => {
    const [raw] = bySeq.lists(seq)
    return raw === undefined ? [] : [present(foundIn(raw, kinds))]
  })
}

/** Of some states, those that a query means, in the order given. */
export const matchingAmong = (
  db: Database,
  criteria: StateCriteria,
  refs: readonly StateRef[],
  locate: Locate = byHash(db),
): readonly VaultEntry[] => {
  const asked = askedOf(db, undefined)
  const matches = memberSql(asked, criteria)
  const isMember = db.prepare(matches.text)
  return refs.flatMap((ref) => {
    const found = findRow(db, ref, locate)
    const isMeant = found !== undefined && isMember.get(found.row.seq, ...matches.values) !== undefined
    return isMeant ? [present(found)] : []
  })
}

/** Counts and sums over states. */
export const aggregateVault = (db: Database, aggregate: VaultAggregate = {}): readonly Aggregate[] =>
  aggregateStates(askedOf(db, undefined), aggregate)

/** The names of the fields that states of each type have been indexed by. */
export const indexedFields = (db: Database): ReadonlyMap<string, readonly string[]> => {
  const fields = new Map<string, readonly string[]>()
  for (const row of db.prepare('SELECT type, name FROM indexed_fields ORDER BY type, name').all()) {
    const type = String(row['type'])
    fields.set(type, [...(fields.get(type) ?? []), String(row['name'])])
  }
  return fields
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
  const [row] = db.prepare(`${select} WHERE s.seq = ? AND s.transaction_seq = ?`).lists(first + ref.index, transaction)
  return row === undefined ? undefined : foundIn(row, new StateTypeTable(db))
}

/** One state by ref, consumed or not. */
export const findState = (db: Database, ref: StateRef, locate: Locate = byHash(db)): VaultEntry | undefined => {
  const found = findRow(db, ref, locate)
  return found === undefined ? undefined : present(found)
}

/** One state's row by ref, for whoever explains it. */
export const findStateRow = (db: Database, ref: StateRef, locate: Locate = byHash(db)): ActivityRow | undefined =>
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

/** The types of states, and how many of each are unconsumed: through an index, however many were consumed. */
export const countUnconsumed = (db: Database): readonly { readonly type: string; readonly unconsumed: number }[] =>
  db
    .prepare(
      'SELECT type, sum(n) AS unconsumed FROM (SELECT k.type AS type, (SELECT count(*) FROM states s WHERE s.kind = k.id AND s.until_revision IS NULL) AS n FROM kinds k) GROUP BY type ORDER BY type',
    )
    .all()
    .map((row) => ({ type: String(row['type']), unconsumed: Number(row['unconsumed']) }))

/** The states that flows have reserved. */
export const readLocks = (db: Database): readonly { readonly ref: StateRef; readonly flow: FlowId }[] =>
  db
    .prepare(
      'SELECT t.id AS id, s.output_index AS place, f.id AS flow FROM soft_locks l JOIN states s ON s.seq = l.state_seq JOIN transactions t ON t.seq = s.transaction_seq JOIN flows f ON f.seq = l.flow_seq',
    )
    .all()
    .map((row) => ({
      ref: { transaction: String(row['id']) as TransactionId, index: Number(row['place']) },
      flow: String(row['flow']) as FlowId,
    }))

/** Where a transaction stands in the log, and how many outputs it has. */
export type TransactionPlace = { readonly revision: number; readonly at: Instant; readonly outputs: number }

export const findTransaction = (db: Database, id: TransactionId): TransactionPlace | undefined => {
  const seq = findByHash(db, 'transactions', id)
  const row =
    seq === undefined
      ? undefined
      : db.prepare('SELECT revision, at_ms, outputs FROM transactions WHERE seq = ?').get(seq)
  return row === undefined
    ? undefined
    : {
        revision: Number(row['revision']),
        at: instantFromMillis(Number(row['at_ms'])),
        outputs: Number(row['outputs']),
      }
}
