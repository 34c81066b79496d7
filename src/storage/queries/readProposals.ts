/**
 * What a party has agreed to and is not on the ledger yet.
 */
import type { Database } from '../Database.js'

/** The keys that flows have reserved. */
export const readReservedKeys = (
  db: Database,
): readonly { readonly type: string; readonly key: string; readonly flow: string }[] =>
  db
    .prepare(
      'SELECT k.type AS type, k.key AS key, f.id AS flow FROM reserved_keys k JOIN flows f ON f.seq = k.flow_seq',
    )
    .all()
    .map(({ type, key, flow }) => ({ type: String(type), key: String(key), flow: String(flow) }))

/** The ids of transactions that were signed and whose finality is yet to come. */
export const readSignedTransactionIds = (db: Database): readonly string[] =>
  db
    .prepare('SELECT id FROM signed_transactions')
    .all()
    .map(({ id }) => String(id))
