/**
 * The tokens of a node, folded from the log. There are few of them and they change rarely, so each is written as it
 * comes.
 */
import type { TokenRow, Tokens } from '../../operator/OperatorTables.js'
import type { Database, Statement } from '../Database.js'

export const tokensSchema = `
  CREATE TABLE IF NOT EXISTS tokens (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    hash TEXT NOT NULL,
    permissions TEXT NOT NULL,
    issued_ms INTEGER NOT NULL,
    issued_by TEXT NOT NULL,
    expires_ms INTEGER,
    revoked_ms INTEGER,
    revoked_by TEXT
  ) STRICT, WITHOUT ROWID;
`

export class TokenTable implements Tokens {
  readonly #insert: Statement
  readonly #revoke: Statement
  readonly #standing: Statement
  readonly #count: Statement

  constructor(db: Database) {
    this.#insert = db.prepare(
      'INSERT INTO tokens (id, name, hash, permissions, issued_ms, issued_by, expires_ms) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    this.#revoke = db.prepare('UPDATE tokens SET revoked_ms = ?, revoked_by = ? WHERE id = ?')
    this.#standing = db.prepare('SELECT revoked_ms FROM tokens WHERE id = ?')
    this.#count = db.prepare('SELECT count(*) AS n FROM tokens WHERE revoked_ms IS NULL')
  }

  insert({ id, name, hash, permissions, issuedMs, issuedBy, expiresMs }: TokenRow): void {
    this.#insert.run(id, name, hash, permissions.join(' '), issuedMs, issuedBy, expiresMs)
  }

  revoke(id: string, atMs: number, by: string): void {
    this.#revoke.run(atMs, by, id)
  }

  standingOf(id: string): 'unknown' | 'valid' | 'revoked' {
    const row = this.#standing.get(id)
    if (row === undefined) return 'unknown'
    return row['revoked_ms'] === null ? 'valid' : 'revoked'
  }

  unrevoked(): number {
    return Number(this.#count.get()?.['n'] ?? 0)
  }
}
