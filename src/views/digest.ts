/**
 * A digest of the views' contents, row by row in a fixed order. Two sets of views with the same digest hold
 * the same facts; a rebuild is proven by it.
 */
import { canonicalText } from '../encoding/canonical.js'
import { sha256, type Hash } from '../encoding/hash.js'
import type { Database } from './Database.js'
import { viewTables } from './Views.js'

const orderOf = {
  node_facts: 'one',
  kinds: 'id',
  transactions: 'seq',
  states: 'seq',
  indexed_fields: 'id',
  indexed_values: 'seq, field',
  known_parties: 'id',
  state_parties: 'party, unconsumed, seq',
  clock_steps: 'transaction_seq',
  soft_locks: 'state_seq',
  past_assessments: 'state_seq, until_revision',
  flows: 'seq',
  flow_records: 'flow_seq, position',
  flow_troubles: 'flow_seq, revision',
  network_maps: 'root',
  unstarted: 'revision',
  sessions: 'seq',
  inbox: 'session_seq, seq',
  outbox: 'revision',
  notarised: 'seq',
  spent: 'seq',
  tokens: 'id',
  kept_heads: 'party',
  peers: 'party',
  gone_on: 'one',
} as const

const rowsPerChunk = 1_000

/** Hashes chunk after chunk, so that the text of a large view never sits in memory. */
const digestTable = (db: Database, table: (typeof viewTables)[number]): Hash => {
  let hash = sha256(table)
  let chunk: string[] = []
  for (const row of db.prepare(`SELECT * FROM ${table} ORDER BY ${orderOf[table]}`).iterate()) {
    chunk.push(canonicalText({ ...row }))
    if (chunk.length < rowsPerChunk) continue
    hash = sha256(`${hash}\n${chunk.join('\n')}`)
    chunk = []
  }
  return sha256(`${hash}\n${chunk.join('\n')}`)
}

/** The digest of all views behind a connection. */
export const digestViews = (db: Database): Hash =>
  sha256(viewTables.map((table) => `${table} ${digestTable(db, table)}`).join('\n'))
