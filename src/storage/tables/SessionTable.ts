/**
 * The sessions of this node, what was received on them, and what still has to be acknowledged.
 */
import type { Database, SqlRow, Statement } from '../Database.js'
import { HashIndex, hashIndexSchema } from './HashIndex.js'
import type { PublicKey } from '../../identity/PublicKey.js'
import { limits } from '../../limits.js'
import type { Message, Role } from '../../log/Message.js'
import type { SessionId } from '../../log/SessionId.js'
import { endKey, type OutgoingRow, type SessionDraft, type SessionRow } from '../../session/SessionRow.js'
import type { NewSession, Sessions } from '../../session/SessionTables.js'

export const sessionsSchema = `
  CREATE TABLE IF NOT EXISTS sessions (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    role TEXT NOT NULL,
    party TEXT NOT NULL,
    flow_seq INTEGER,
    from_revision INTEGER NOT NULL,
    sent INTEGER NOT NULL,
    closed INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS sessions_of_flow ON sessions (flow_seq) WHERE closed = 0;
  ${hashIndexSchema('sessions')}
  CREATE TABLE IF NOT EXISTS inbox (
    session_seq INTEGER NOT NULL, seq INTEGER NOT NULL, message TEXT NOT NULL, PRIMARY KEY (session_seq, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS outbox (
    revision INTEGER PRIMARY KEY, session TEXT NOT NULL, role TEXT NOT NULL, party TEXT NOT NULL, seq INTEGER NOT NULL, message TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS outbox_of_session ON outbox (session, role, seq);
  CREATE INDEX IF NOT EXISTS outbox_of_party ON outbox (party, revision);
`

/** Which message of which session, as one text. */
const placeOf = (id: SessionId, role: Role, seq: number): string => `${endKey(id, role)} ${seq}`
const placeIn = (row: SessionRow, seq: number): string => `${row.seq} ${seq}`

const rowOf = (row: SqlRow): SessionDraft => {
  const key = String(row['id'])
  return {
    seq: Number(row['seq']),
    key,
    id: key.slice(0, -1) as SessionId,
    role: String(row['role']) as Role,
    party: String(row['party']) as PublicKey,
    flowSeq: typeof row['flow_seq'] === 'number' ? row['flow_seq'] : null,
    fromRevision: Number(row['from_revision']),
    sent: Number(row['sent']),
    closed: row['closed'] === 1,
  }
}

export const outgoingOf = (row: SqlRow): OutgoingRow => ({
  revision: Number(row['revision']),
  session: String(row['session']) as SessionId,
  role: String(row['role']) as Role,
  party: String(row['party']) as PublicKey,
  seq: Number(row['seq']),
  text: String(row['message']),
})

export class SessionTable implements Sessions {
  readonly #index: HashIndex
  readonly #rows = new Map<number, SessionDraft>()
  readonly #fresh = new Set<SessionDraft>()
  readonly #changed = new Set<SessionDraft>()
  /** The revisions of messages that wait for their acknowledgement, as far as they were sent of late. */
  readonly #sent = new Map<string, number>()
  /** Messages that came of late, by session and number: most are read soon after. */
  readonly #received = new Map<string, string>()
  #nextSeq: number
  readonly #insert: Statement
  readonly #update: Statement
  readonly #bySeq: Statement
  readonly #openOfFlow: Statement
  readonly #insertIncoming: Statement
  readonly #incoming: Statement
  readonly #empty: Statement
  readonly #insertOutgoing: Statement
  readonly #deleteOutgoing: Statement
  readonly #deleteRevision: Statement
  readonly #outgoing: Statement
  readonly #addressees: Statement
  readonly #isOutgoing: Statement
  readonly #lastSeq: Statement

  constructor(db: Database) {
    this.#insert = db.prepare('INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
    this.#update = db.prepare('UPDATE sessions SET sent = ?, closed = ? WHERE seq = ?')
    this.#bySeq = db.prepare('SELECT * FROM sessions WHERE seq = ?')
    this.#openOfFlow = db.prepare('SELECT * FROM sessions WHERE flow_seq = ? AND closed = 0 ORDER BY seq')
    this.#insertIncoming = db.prepare('INSERT INTO inbox (session_seq, seq, message) VALUES (?, ?, ?)')
    this.#incoming = db.prepare('SELECT message FROM inbox WHERE session_seq = ? AND seq = ?')
    this.#empty = db.prepare("UPDATE inbox SET message = '' WHERE session_seq = ? AND seq = ?")
    this.#insertOutgoing = db.prepare('INSERT INTO outbox VALUES (?, ?, ?, ?, ?, ?)')
    this.#deleteOutgoing = db.prepare('DELETE FROM outbox WHERE session = ? AND role = ? AND seq = ?')
    this.#deleteRevision = db.prepare('DELETE FROM outbox WHERE revision = ?')
    this.#outgoing = db.prepare('SELECT * FROM outbox WHERE party = ? AND revision > ? ORDER BY revision LIMIT ?')
    this.#addressees = db.prepare('SELECT DISTINCT party FROM outbox')
    this.#isOutgoing = db.prepare('SELECT 1 AS one FROM outbox WHERE session = ? AND role = ? AND seq = ?')
    this.#lastSeq = db.prepare('SELECT max(seq) AS seq FROM sessions')
    this.#index = new HashIndex(db, 'sessions')
    this.#nextSeq = this.#readNextSeq()
  }

  #readNextSeq(): number {
    return Number(this.#lastSeq.get()?.['seq'] ?? 0) + 1
  }

  insert(row: NewSession): void {
    const added: SessionDraft = { ...row, seq: this.#nextSeq, key: endKey(row.id, row.role), sent: 0, closed: false }
    this.#nextSeq += 1
    this.#rows.set(added.seq, added)
    this.#fresh.add(added)
    this.#index.add(added.key, added.seq)
  }

  find(id: SessionId, role: Role): SessionDraft | undefined {
    const seq = this.#index.find(endKey(id, role))
    if (seq === undefined) return undefined
    const known = this.#rows.get(seq)
    if (known !== undefined) return known
    const row = this.#bySeq.get(seq)
    return row === undefined ? undefined : this.#remember(row)
  }

  #remember(row: SqlRow): SessionDraft {
    const known = this.#rows.get(Number(row['seq']))
    if (known !== undefined) return known
    const read = rowOf(row)
    this.#rows.set(read.seq, read)
    return read
  }

  touch(row: SessionDraft): void {
    if (!this.#fresh.has(row)) this.#changed.add(row)
  }

  #flush(): void {
    for (const { seq, key, role, party, flowSeq, fromRevision, sent, closed } of this.#fresh)
      this.#insert.run(seq, key, role, party, flowSeq, fromRevision, sent, closed ? 1 : 0)
    for (const { seq, sent, closed } of this.#changed) this.#update.run(sent, closed ? 1 : 0, seq)
    this.#fresh.clear()
    this.#changed.clear()
  }

  openOfFlow(flowSeq: number): readonly SessionRow[] {
    // Every flow is asked for its sessions when it ends, and most nodes have none.
    if (this.#nextSeq === 1) return []
    this.#flush()
    return this.#openOfFlow.all(flowSeq).map((row) => this.#remember(row))
  }

  receive(row: SessionRow, seq: number, message: string): void {
    this.#insertIncoming.run(row.seq, seq, message)
    this.#received.set(placeIn(row, seq), message)
  }

  hasArrived(row: SessionRow, seq: number): boolean {
    return this.#received.has(placeIn(row, seq)) || this.#incoming.get(row.seq, seq) !== undefined
  }

  incoming(row: SessionRow, seq: number): Message | undefined {
    const text = this.#received.get(placeIn(row, seq)) ?? String(this.#incoming.get(row.seq, seq)?.['message'] ?? '')
    return text === '' ? undefined : (JSON.parse(text) as Message)
  }

  emptyIncoming(row: SessionRow, seq: number): void {
    this.#empty.run(row.seq, seq)
    this.#received.delete(placeIn(row, seq))
  }

  send(row: SessionRow, revision: number, seq: number, message: string): void {
    this.#insertOutgoing.run(revision, row.id, row.role, row.party, seq, message)
    this.#sent.set(placeOf(row.id, row.role, seq), revision)
  }

  isOutgoing(id: SessionId, role: Role, seq: number): boolean {
    return this.#sent.has(placeOf(id, role, seq)) || this.#isOutgoing.get(id, role, seq) !== undefined
  }

  acknowledged(id: SessionId, role: Role, seq: number): void {
    const place = placeOf(id, role, seq)
    const revision = this.#sent.get(place)
    if (revision === undefined) this.#deleteOutgoing.run(id, role, seq)
    else this.#deleteRevision.run(revision)
    this.#sent.delete(place)
  }

  addressees(): readonly PublicKey[] {
    return this.#addressees.all().map(({ party }) => String(party) as PublicKey)
  }

  outgoing(party: PublicKey, afterRevision: number, limit: number): readonly OutgoingRow[] {
    return this.#outgoing.all(party, afterRevision, limit).map(outgoingOf)
  }

  closeTick(): void {
    this.#flush()
    this.#index.closeTick()
  }

  committed(): void {
    if (this.#rows.size > limits.rowsKept) this.#rows.clear()
    if (this.#received.size > limits.rowsKept) this.#received.clear()
    if (this.#sent.size > limits.unacknowledged) this.#sent.clear()
    this.#index.committed()
  }

  rolledBack(): void {
    this.#rows.clear()
    this.#fresh.clear()
    this.#changed.clear()
    this.#sent.clear()
    this.#received.clear()
    this.#index.rolledBack()
    this.#nextSeq = this.#readNextSeq()
  }

  /** After ticks that were taken to stand do not. */
  reload(): void {
    this.#index.reload()
  }
}
