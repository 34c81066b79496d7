/**
 * A digest of the views' contents, row by row in a fixed order. Two sets of views with the same digest hold
 * the same facts; a rebuild is proven by it.
 */
import { canonicalText } from '../encoding/canonical.js'
import { sha256, type Hash } from '../encoding/hash.js'
import type { Database, SqlValue } from './Database.js'
import { viewTables } from './StoredViews.js'

const orderOf = {
  node_facts: ['one'],
  kinds: ['id'],
  transactions: ['seq'],
  ancestors: ['transaction_seq'],
  states: ['seq'],
  indexed_fields: ['id'],
  indexed_values: ['seq', 'field'],
  known_parties: ['id'],
  state_parties: ['party', 'unconsumed', 'seq'],
  clock_steps: ['transaction_seq'],
  soft_locks: ['state_seq'],
  reserved_keys: ['type', 'key'],
  signed_transactions: ['id'],
  past_assessments: ['state_seq', 'until_revision'],
  flows: ['seq'],
  flow_records: ['flow_seq', 'position'],
  flow_troubles: ['flow_seq', 'revision'],
  flow_attention: ['flow_seq'],
  flow_children: ['child_seq'],
  flow_continuations: ['flow_seq'],
  flow_signals: ['flow_seq', 'seq'],
  flow_waits: ['topic', 'fields', 'value', 'flow_seq'],
  flow_callers: ['flow_seq'],
  network_maps: ['root'],
  map_anchor: ['one'],
  accepted_maps: ['hash'],
  changed_keys: ['key'],
  unstarted: ['revision'],
  unconsumed: ['state_seq'],
  sessions: ['seq'],
  inbox: ['session_seq', 'seq'],
  outbox: ['revision'],
  notarised: ['seq'],
  spent: ['seq'],
  tokens: ['id'],
  kept_checkpoints: ['party'],
  peers: ['party'],
  continued: ['one'],
} as const

const rowsPerChunk = 1_000

/**
 * The digest of one table, by the columns of its primary key. Hashes chunk after chunk, so that the text of a large view
 * never sits in memory. Rows are read as lists with their columns in canonical order, and need not be sorted one by one.
 */
export const digestTable = (db: Database, table: string, key: readonly string[]): Hash => {
  const names = db
    .prepare('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .map(({ name }) => String(name))
    .sort()
  const columns = names.map((name) => `"${name}"`).join(', ')
  const keyPlaces = key.map((name) => names.indexOf(name))
  const before = names.map((name, place) => `${place === 0 ? '{' : ','}${canonicalText(name)}:`)
  const rowText = (row: readonly SqlValue[]): string => {
    let text = ''
    for (let place = 0; place < before.length; place++)
      text += `${before[place] ?? ''}${canonicalText(row[place] ?? null)}`
    return `${text}}`
  }
  const inOrder = `ORDER BY ${key.join(', ')} LIMIT ${rowsPerChunk}`
  const first = db.prepare(`SELECT ${columns} FROM ${table} ${inOrder}`)
  const after = `SELECT ${columns} FROM ${table} WHERE (${key.join(', ')}) > (${key.map(() => '?').join(', ')}) ${inOrder}`
  let hash = sha256(table)
  for (let rows = first.lists(); ;) {
    hash = sha256(`${hash}\n${rows.map(rowText).join('\n')}`)
    const last = rows.length < rowsPerChunk ? undefined : rows.at(-1)
    if (last === undefined) return hash
    rows = db.prepare(after).lists(...keyPlaces.map((place) => last[place] ?? null))
  }
}

const whichHaveRows = viewTables
  .map((table) => `SELECT '${table}' WHERE EXISTS (SELECT 1 FROM ${table})`)
  .join(' UNION ALL ')

/** The digests of tables without rows: most tables of a small store have none. */
const digestsOfEmpty = new Map(viewTables.map((table) => [table, sha256(`${sha256(table)}\n`)]))

/** The digest of all views behind a connection. */
export const digestViews = (db: Database): Hash => {
  const haveRows = new Set(db.prepare(whichHaveRows).lists().map(String))
  const digests = viewTables.map((table) =>
    haveRows.has(table) ? digestTable(db, table, orderOf[table]) : digestsOfEmpty.get(table),
  )
  return sha256(viewTables.map((table, place) => `${table} ${digests[place] ?? ''}`).join('\n'))
}
