/**
 * The newest network map this node has gone by, by the root that signed it, so that an older one is not taken again; and
 * the changes of keys that the log knows of.
 */
import { canonicalText } from '../../encoding/canonical.js'
import type { KeyChange } from '../../identity/KeyChange.js'
import type { PublicKey } from '../../identity/PublicKey.js'
import type { Maps, MapSerial } from '../../log/NodeTables.js'
import type { Database, Statement } from '../Database.js'

export const mapsSchema = `
  CREATE TABLE IF NOT EXISTS network_maps (root TEXT PRIMARY KEY, serial INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS changed_keys (
    key TEXT PRIMARY KEY,
    place INTEGER NOT NULL,
    change TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`

/** All changes of keys that a log has recorded, in their order. */
export const readKeyChanges = (db: Database): readonly KeyChange[] =>
  db
    .prepare('SELECT change FROM changed_keys ORDER BY place')
    .all()
    .map(({ change }) => JSON.parse(String(change)) as KeyChange)

export class MapTable implements Maps {
  readonly #db: Database
  readonly #insert: Statement
  readonly #find: Statement
  readonly #addKey: Statement
  readonly #findKey: Statement

  constructor(db: Database) {
    this.#db = db
    this.#insert = db.prepare('INSERT OR REPLACE INTO network_maps VALUES (?, ?)')
    this.#find = db.prepare('SELECT serial FROM network_maps WHERE root = ?')
    this.#addKey = db.prepare('INSERT OR IGNORE INTO changed_keys VALUES (?, ?, ?)')
    this.#findKey = db.prepare('SELECT 1 AS found FROM changed_keys WHERE key = ?')
  }

  newest(root: PublicKey): number | undefined {
    const row = this.#find.get(root)
    return row === undefined ? undefined : Number(row['serial'])
  }

  isRecorded({ to }: KeyChange): boolean {
    return this.#findKey.get(to) !== undefined
  }

  changedKey(change: KeyChange, revision: number): void {
    this.#addKey.run(change.to, revision, canonicalText(change))
  }

  changes(): readonly KeyChange[] {
    return readKeyChanges(this.#db)
  }

  use({ root, serial }: MapSerial): void {
    this.#insert.run(root, serial)
  }
}
