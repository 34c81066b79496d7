/**
 * The newest network map this node has gone by, by the root that signed it, so that an older one is not taken again; and
 * the changes of keys that the log knows of.
 */
import { canonicalText } from '../../encoding/canonical.js'
import type { Hash } from '../../encoding/hash.js'
import type { KeyChange } from '../../identity/KeyChange.js'
import type { PublicKey } from '../../identity/PublicKey.js'
import type { Maps, MapSerial } from '../../log/NodeTables.js'
import type { Database, Statement } from '../Database.js'

export const mapsSchema = `
  CREATE TABLE IF NOT EXISTS network_maps (root TEXT PRIMARY KEY, serial INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS map_anchor (
    one INTEGER PRIMARY KEY CHECK (one = 1), root TEXT NOT NULL, serial INTEGER NOT NULL, hash TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS accepted_maps (hash TEXT PRIMARY KEY, revision INTEGER NOT NULL) STRICT, WITHOUT ROWID;
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
  readonly #anchor: Statement
  readonly #forget: Statement
  readonly #findAnchor: Statement
  readonly #findRoot: Statement
  readonly #accept: Statement
  readonly #findAccepted: Statement
  readonly #addKey: Statement
  readonly #findKey: Statement

  constructor(db: Database) {
    this.#db = db
    this.#insert = db.prepare('INSERT OR REPLACE INTO network_maps VALUES (?, ?)')
    this.#find = db.prepare('SELECT serial FROM network_maps WHERE root = ?')
    this.#anchor = db.prepare('INSERT OR REPLACE INTO map_anchor VALUES (1, ?, ?, ?)')
    this.#forget = db.prepare('DELETE FROM accepted_maps WHERE hash IS NOT ?')
    this.#findAnchor = db.prepare('SELECT root, serial, hash FROM map_anchor')
    this.#findRoot = db.prepare('SELECT root, serial FROM network_maps LIMIT 1')
    this.#accept = db.prepare('INSERT OR REPLACE INTO accepted_maps VALUES (?, ?)')
    this.#findAccepted = db.prepare('SELECT 1 AS found FROM accepted_maps WHERE hash = ?')
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

  use({ root, serial, hash }: MapSerial): void {
    this.#insert.run(root, serial)
    this.#anchor.run(root, serial, hash ?? null)
    // What was accepted was meant for then: a node does not come back to it from a later map.
    this.#forget.run(hash ?? null)
  }

  anchor(): MapSerial | undefined {
    // A store of an earlier version has no anchor yet, and knows the root all the same.
    const row = this.#findAnchor.get() ?? this.#findRoot.get()
    if (row === undefined) return undefined
    const { root, serial, hash } = row
    const map = { root: String(root) as PublicKey, serial: Number(serial) }
    return typeof hash === 'string' ? { ...map, hash: hash as Hash } : map
  }

  accept({ hash }: MapSerial, revision: number): void {
    if (hash !== undefined) this.#accept.run(hash, revision)
  }

  isAccepted(hash: Hash): boolean {
    return this.#findAccepted.get(hash) !== undefined
  }
}
