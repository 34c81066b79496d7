/**
 * Compares views with what they were: a mark is set at the earlier moment, the fold goes on, and the difference is a
 * query. Nothing is held in memory but the lists that were asked for.
 */
import type { FlowOutcome } from '../../log/events.js'
import { agendaEntryOf, type AgendaEntry } from '../../agenda/AgendaEntry.js'
import { instantFromMillis } from '../../time/Instant.js'
import { StateTypeTable } from '../tables/StateTypeTable.js'
import { pageSize } from '../../vault/query/VaultQuery.js'
import { vaultEntriesOf } from './readVault.js'
import type { VaultEntry } from '../../vault/VaultEntry.js'
import { stateColumns, stateRowOf } from '../tables/stateColumns.js'
import type { Database, SqlValue } from '../Database.js'
import { readFacts } from '../tables/NodeFactTable.js'
import type { NodeFacts } from '../../log/NodeTables.js'
import type { AgendaChange, Listing, Place, WorldDiff } from './WorldDiff.js'

/** What is on the agenda, or waits for an operator: everything that is not over. */
const isEntry = (row: string): string => `${row}.standing IS NOT NULL AND ${row}.standing <> 'closed'`

/** The earlier moment, as the comparison needs it. */
export type Mark = { readonly place: Place; readonly facts: NodeFacts }

export const placeOf = (revision: number, atMs: number | undefined): Place => ({
  revision,
  ...(atMs === undefined ? {} : { at: instantFromMillis(atMs) }),
})

/** Keeps how the agenda stands now, in the database itself. */
export const setComparison = (db: Database, place: Place): Mark => {
  db.exec(
    `DROP TABLE IF EXISTS then_states; CREATE TABLE then_states AS SELECT * FROM states s WHERE ${isEntry('s')}; CREATE UNIQUE INDEX then_states_seq ON then_states (seq);`,
  )
  return { place, facts: { ...readFacts(db) } }
}

export const removeComparison = (db: Database): void => {
  db.exec('DROP TABLE IF EXISTS then_states')
}

const count = (db: Database, from: string, ...values: readonly SqlValue[]): number =>
  Number(db.prepare(`SELECT count(*) AS n FROM ${from}`).get(...values)?.['n'] ?? 0)

const listStates = (
  db: Database,
  condition: string,
  limit: number,
  ...values: readonly SqlValue[]
): Listing<VaultEntry> => ({
  total: count(db, `states s WHERE ${condition}`, ...values),
  items: vaultEntriesOf(db, `WHERE ${condition} ORDER BY s.seq LIMIT ${limit}`, values),
})

/** The same columns, of the table as it was. */
const selectFrom = (table: string, join: string): string =>
  `SELECT ${stateColumns} FROM ${table} s JOIN transactions t ON t.seq = s.transaction_seq ${join}`

const listAgenda = (db: Database, table: string, join: string, limit: number): Listing<AgendaEntry> => {
  const kinds = new StateTypeTable(db)
  return {
    total: count(db, `${table} s ${join}`),
    items: db
      .prepare(`${selectFrom(table, join)} ORDER BY s.seq LIMIT ${limit}`)
      .lists()
      .map((row) => agendaEntryOf(stateRowOf(row, kinds))),
  }
}

const listChanges = (db: Database, limit: number): Listing<AgendaChange> => {
  const differs = ['standing', 'due_ms', 'acts_at_ms', 'activity', 'attempt', 'error', 'note']
    .map((column) => `o.${column} IS NOT s.${column}`)
    .join(' OR ')
  const after = listAgenda(
    db,
    'states',
    `JOIN then_states o ON o.seq = s.seq WHERE ${isEntry('s')} AND (${differs})`,
    limit,
  )
  const before = listAgenda(
    db,
    'then_states',
    `JOIN states o ON o.seq = s.seq WHERE ${isEntry('o')} AND (${differs})`,
    limit,
  )
  return {
    total: after.total,
    items: after.items.flatMap((entry, index) => {
      const old = before.items[index]
      return old === undefined ? [] : [{ before: old, after: entry }]
    }),
  }
}

const endedSince = (db: Database, revision: number): WorldDiff['flows']['ended'] =>
  Object.fromEntries(
    db
      .prepare('SELECT status, count(*) AS n FROM flows WHERE until_revision > ? GROUP BY status ORDER BY status')
      .all(revision)
      .map((row) => [String(row['status']) as FlowOutcome, Number(row['n'])]),
  )

const appOf = ({ app, appVersion }: NodeFacts): string => (app === null ? 'none' : `${app} ${appVersion ?? ''}`.trim())

/** What is different between the mark and where the views stand. */
export const diffSince = (db: Database, mark: Mark, to: Place, limit?: number): WorldDiff => {
  const size = pageSize(limit)
  const { revision } = mark.place
  const facts = readFacts(db)
  return {
    from: mark.place,
    to,
    states: {
      produced: listStates(db, 's.from_revision > ? AND s.until_revision IS NULL', size, revision),
      consumed: listStates(db, 's.from_revision <= ? AND s.until_revision > ?', size, revision, revision),
      passing: count(db, 'states s WHERE s.from_revision > ? AND s.until_revision IS NOT NULL', revision),
    },
    agenda: {
      added: listAgenda(
        db,
        'states',
        `LEFT JOIN then_states o ON o.seq = s.seq WHERE o.seq IS NULL AND ${isEntry('s')}`,
        size,
      ),
      removed: listAgenda(db, 'then_states', `JOIN states o ON o.seq = s.seq WHERE NOT (${isEntry('o')})`, size),
      changed: listChanges(db, size),
    },
    flows: {
      started: count(db, 'flows WHERE from_revision > ?', revision),
      ended: endedSince(db, revision),
    },
    node: {
      starts: facts.term - mark.facts.term,
      ...(appOf(facts) === appOf(mark.facts) ? {} : { app: { before: appOf(mark.facts), after: appOf(facts) } }),
      ...(facts.draining === mark.facts.draining
        ? {}
        : { draining: { before: mark.facts.draining, after: facts.draining } }),
    },
  }
}
