/**
 * The newest signed head of every party that has sent one, this node's own among them, and whom the node talks with. Of
 * each party one head is kept and no more, however many were sent.
 */
import { canonicalText } from '../encoding/canonical.js'
import type { Party } from '../identity/Party.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { instantFromMillis, type Instant } from '../time/Instant.js'
import type { Database, SqlRow, Statement } from '../views/Database.js'
import { isNewerHead, type SignedHead } from './SignedHead.js'

export const headsSchema = `
  CREATE TABLE IF NOT EXISTS kept_heads (
    party TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    head TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS peers (party TEXT PRIMARY KEY, revision INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS gone_on (one INTEGER PRIMARY KEY CHECK (one = 1), at_ms INTEGER NOT NULL) STRICT;
`

/** A head that the node keeps of a party's log, and since when. */
export type KeptHead = { readonly party: Party; readonly keptAt: Instant; readonly head: SignedHead }

export const keptOf = (row: SqlRow): KeptHead => ({
  party: { name: String(row['name']), key: String(row['party']) as PublicKey },
  keptAt: instantFromMillis(Number(row['at_ms'])),
  head: JSON.parse(String(row['head'])) as SignedHead,
})

/** All heads that a node keeps, its own included. */
export const readKeptHeads = (db: Database): readonly KeptHead[] =>
  db.prepare('SELECT * FROM kept_heads ORDER BY name, party').all().map(keptOf)

/** The other parties that a node has talked with, the last one first. */
export const readPeers = (db: Database, me: string, limit: number): readonly PublicKey[] =>
  db
    .prepare('SELECT party FROM peers WHERE party <> ? ORDER BY revision DESC LIMIT ?')
    .all(me, limit)
    .map(({ party }) => String(party) as PublicKey)

/** When the node was last told to go on from a copy of its log. */
export const readGoneOnAt = (db: Database): Instant | undefined => {
  const row = db.prepare('SELECT at_ms FROM gone_on').get()
  return row === undefined ? undefined : instantFromMillis(Number(row['at_ms']))
}

export class HeadTable {
  readonly #db: Database
  readonly #find: Statement
  readonly #keep: Statement
  readonly #meet: Statement
  readonly #goOn: Statement
  /** Whom the tick has met; sessions are many and parties are few. */
  readonly #met = new Map<PublicKey, number>()

  constructor(db: Database) {
    this.#db = db
    this.#find = db.prepare('SELECT * FROM kept_heads WHERE party = ?')
    this.#keep = db.prepare('INSERT OR REPLACE INTO kept_heads VALUES (?, ?, ?, ?)')
    this.#meet = db.prepare('INSERT OR REPLACE INTO peers VALUES (?, ?)')
    this.#goOn = db.prepare('INSERT OR REPLACE INTO gone_on VALUES (1, ?)')
  }

  get goneOnAt(): Instant | undefined {
    return readGoneOnAt(this.#db)
  }

  /** The newest head that is kept of a party's log. */
  kept(party: PublicKey): SignedHead | undefined {
    const row = this.#find.get(party)
    return row === undefined ? undefined : keptOf(row).head
  }

  /** An older head never takes the place of a newer one. */
  keep(party: Party, head: SignedHead, atMs: number): void {
    const kept = this.kept(party.key)
    if (kept === undefined || isNewerHead(head, kept)) this.#keep.run(party.key, party.name, atMs, canonicalText(head))
  }

  /** The node talks with a party. */
  met(party: PublicKey, revision: number): void {
    this.#met.set(party, revision)
  }

  /** The other parties that the node has talked with, the last one first. */
  peers(me: PublicKey, limit: number): readonly PublicKey[] {
    this.flush()
    return readPeers(this.#db, me, limit)
  }

  /** The node was told to go on from a copy of its log. */
  goOn(atMs: number): void {
    this.#goOn.run(atMs)
  }

  flush(): void {
    for (const [party, revision] of this.#met) this.#meet.run(party, revision)
    this.#met.clear()
  }

  rolledBack(): void {
    this.#met.clear()
  }
}
