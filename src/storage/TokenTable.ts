/**
 * The tokens of a node, folded from the log. There are few of them and they change rarely, so each is written as it
 * comes.
 */
import type { EventOf } from '../log/events.js'
import { toMillis } from '../time/Instant.js'
import type { Database, Statement } from './Database.js'

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

export type TokenEvent = EventOf<'TokenIssued'> | EventOf<'TokenRevoked'>

export class TokenTable {
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

  fold(event: TokenEvent, atMs: number): void {
    if (event.type === 'TokenRevoked') {
      this.#revoke.run(atMs, event.by, event.token)
      return
    }
    const { token, name, hash, permissions, by, expiresAt } = event
    const expiresMs = expiresAt === undefined ? null : toMillis(expiresAt)
    this.#insert.run(token, name, hash, permissions.join(' '), atMs, by, expiresMs)
  }

  standingOf(id: string): 'unknown' | 'valid' | 'revoked' {
    const row = this.#standing.get(id)
    if (row === undefined) return 'unknown'
    return row['revoked_ms'] === null ? 'valid' : 'revoked'
  }

  /** Tokens that have not been revoked. */
  unrevoked(): number {
    return Number(this.#count.get()?.['n'] ?? 0)
  }
}
