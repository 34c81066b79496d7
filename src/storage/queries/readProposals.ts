/**
 * What a party has agreed to and is not on the ledger yet.
 */
import { instantFromMillis, type Instant } from '../../time/Instant.js'
import type { Database } from '../Database.js'

/** The keys that flows have reserved. */
export const readReservedKeys = (
  db: Database,
): readonly { readonly type: string; readonly key: string; readonly flow: string; readonly since: Instant }[] =>
  db
    .prepare(
      'SELECT k.type AS type, k.key AS key, f.id AS flow, k.since_ms AS since FROM reserved_keys k JOIN flows f ON f.seq = k.flow_seq',
    )
    .all()
    .map(({ type, key, flow, since }) => ({
      type: String(type),
      key: String(key),
      flow: String(flow),
      since: instantFromMillis(Number(since)),
    }))

/** The ids of transactions that were signed and whose finality is yet to come. */
export const readSignedTransactionIds = (db: Database): readonly string[] =>
  db
    .prepare('SELECT id FROM signed_transactions')
    .all()
    .map(({ id }) => String(id))
