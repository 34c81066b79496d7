/**
 * The newest checkpoint of every party that has sent one, and whom the node talks with. Of each party one checkpoint is
 * kept and no more, however many were sent.
 */
import { canonicalText } from '../../encoding/canonical.js'
import type { Party } from '../../identity/Party.js'
import type { PublicKey } from '../../identity/PublicKey.js'
import { instantFromMillis, type Instant } from '../../time/Instant.js'
import type { UnitOfWork } from '../UnitOfWork.js'
import type { Database, SqlRow, Statement } from '../Database.js'
import type { Checkpoint } from '../../log/Checkpoint.js'
import type { Checkpoints, KeptCheckpoint } from '../../log/NodeTables.js'

export const headsSchema = `
  CREATE TABLE IF NOT EXISTS kept_checkpoints (
    party TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    checkpoint TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS peers (party TEXT PRIMARY KEY, revision INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS continued (one INTEGER PRIMARY KEY CHECK (one = 1), at_ms INTEGER NOT NULL) STRICT;
`

export const keptOf = (row: SqlRow): KeptCheckpoint => ({
  party: { name: String(row['name']), key: String(row['party']) as PublicKey },
  keptAt: instantFromMillis(Number(row['at_ms'])),
  checkpoint: JSON.parse(String(row['checkpoint'])) as Checkpoint,
})

/** All checkpoints that a node keeps. */
export const readKeptCheckpoints = (db: Database): readonly KeptCheckpoint[] =>
  db.prepare('SELECT * FROM kept_checkpoints ORDER BY name, party').all().map(keptOf)

/** The other parties that a node has talked with, the last one first. */
export const readPeers = (db: Database, me: string, limit: number): readonly PublicKey[] =>
  db
    .prepare('SELECT party FROM peers WHERE party <> ? ORDER BY revision DESC LIMIT ?')
    .all(me, limit)
    .map(({ party }) => String(party) as PublicKey)

/** When the node was last let continue from a copy of its log. */
export const readContinuedAt = (db: Database): Instant | undefined => {
  const row = db.prepare('SELECT at_ms FROM continued').get()
  return row === undefined ? undefined : instantFromMillis(Number(row['at_ms']))
}

export class HeadTable implements Checkpoints {
  readonly #db: Database
  readonly #find: Statement
  readonly #keep: Statement
  readonly #meet: Statement
  readonly #continue: Statement
  /** Whom the tick has met; sessions are many and parties are few. */
  readonly #met = new Map<PublicKey, number>()

  constructor(db: Database, unit: UnitOfWork) {
    this.#db = db
    this.#find = db.prepare('SELECT * FROM kept_checkpoints WHERE party = ?')
    this.#keep = db.prepare('INSERT OR REPLACE INTO kept_checkpoints VALUES (?, ?, ?, ?)')
    this.#meet = db.prepare('INSERT OR REPLACE INTO peers VALUES (?, ?)')
    this.#continue = db.prepare('INSERT OR REPLACE INTO continued VALUES (1, ?)')
    unit.join({ write: () => this.#flush(), rolledBack: () => this.#met.clear() })
  }

  get continuedAt(): Instant | undefined {
    return readContinuedAt(this.#db)
  }

  kept(party: PublicKey): Checkpoint | undefined {
    const row = this.#find.get(party)
    return row === undefined ? undefined : keptOf(row).checkpoint
  }

  keep(party: Party, checkpoint: Checkpoint, atMs: number): void {
    this.#keep.run(party.key, party.name, atMs, canonicalText(checkpoint))
  }

  met(party: PublicKey, revision: number): void {
    this.#met.set(party, revision)
  }

  peers(me: PublicKey, limit: number): readonly PublicKey[] {
    this.#flush()
    return readPeers(this.#db, me, limit)
  }

  continueFromCopy(atMs: number): void {
    this.#continue.run(atMs)
  }

  #flush(): void {
    for (const [party, revision] of this.#met) this.#meet.run(party, revision)
    this.#met.clear()
  }
}
