/**
 * Questions about tokens from outside a tick.
 */
import type { Hash } from '../../encoding/hash.js'
import { instantFromMillis } from '../../time/Instant.js'
import type { Database, SqlRow } from '../Database.js'
import type { StoredToken, Token, TokenId } from '../../operator/Token.js'

const tokenOf = (row: SqlRow): Token => {
  const { expires_ms: expires, revoked_ms: revoked, revoked_by: by } = row
  return {
    id: String(row['id']) as TokenId,
    name: String(row['name']),
    permissions: String(row['permissions']).split(' '),
    issuedAt: instantFromMillis(Number(row['issued_ms'])),
    issuedBy: String(row['issued_by']),
    ...(typeof expires === 'number' ? { expiresAt: instantFromMillis(expires) } : {}),
    ...(typeof revoked === 'number' ? { revokedAt: instantFromMillis(revoked) } : {}),
    ...(typeof by === 'string' ? { revokedBy: by } : {}),
  }
}

/** All tokens ever issued, oldest first, without their hashes. */
export const listTokens = (db: Database): readonly Token[] =>
  db.prepare('SELECT * FROM tokens ORDER BY issued_ms, id').all().map(tokenOf)

/** One token with its hash, for whoever checks a presented secret. */
export const findToken = (db: Database, id: string): StoredToken | undefined => {
  const row = db.prepare('SELECT * FROM tokens WHERE id = ?').get(id)
  return row === undefined ? undefined : { ...tokenOf(row), hash: String(row['hash']) as Hash }
}
