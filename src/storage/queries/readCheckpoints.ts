/**
 * The checkpoints that a node keeps, one a party: what it could hold against a log that was cut or changed since.
 */
import { keptOf } from '../tables/HeadTable.js'
import type { KeptCheckpoint } from '../../log/NodeTables.js'
import { pageSize, type Page } from '../../vault/query/VaultQuery.js'
import { pageOf } from './pageOf.js'
import type { Database } from '../Database.js'

/** By name; the key of the last party is the cursor, since two may have one name. */
export const readCheckpoints = (
  db: Database,
  { limit, after }: { readonly limit?: number; readonly after?: string },
): Page<KeptCheckpoint, string> => {
  const size = pageSize(limit)
  const from =
    after === undefined ? '' : 'WHERE (name, party) > (SELECT name, party FROM kept_checkpoints WHERE party = ?)'
  const rows = db
    .prepare(`SELECT * FROM kept_checkpoints ${from} ORDER BY name, party LIMIT ?`)
    .all(...(after === undefined ? [] : [after]), size + 1)
  return pageOf(
    rows.map(keptOf),
    size,
    (kept) => kept,
    ({ party }) => party.key,
  )
}
