/**
 * The sessions of this node, what was received on them, and what still has to be acknowledged.
 */
import type { Database, SqlRow, SqlValue, Statement } from '../Database.js'
import type { UnitOfWork } from '../UnitOfWork.js'
import { hashIndexSchema } from './HashIndex.js'
import { Table, type TableSpec } from './Table.js'
import type { PublicKey } from '../../identity/PublicKey.js'
import type { Message, SessionRole } from '../../log/Message.js'
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
    closed INTEGER NOT NULL,
    over INTEGER NOT NULL,
    asked INTEGER NOT NULL,
    unread_bytes INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS sessions_of_party ON sessions (party) WHERE over = 0;
  CREATE INDEX IF NOT EXISTS sessions_of_flow ON sessions (flow_seq) WHERE closed = 0;
  CREATE INDEX IF NOT EXISTS sessions_closed_by_flow ON sessions (flow_seq) WHERE closed = 1 AND over = 0;
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
const placeOf = (id: SessionId, role: SessionRole, seq: number): string => `${endKey(id, role)} ${seq}`
const placeIn = (row: SessionRow, seq: number): string => `${row.seq} ${seq}`

const rowOf = (values: readonly SqlValue[]): SessionDraft => {
  const [seq, id, role, party, flowSeq, fromRevision, sent, closed, over, asked, unreadBytes] = values
  const key = String(id)
  return {
    seq: Number(seq),
    key,
    id: key.slice(0, -1) as SessionId,
    role: String(role) as SessionRole,
    party: String(party) as PublicKey,
    flowSeq: typeof flowSeq === 'number' ? flowSeq : null,
    fromRevision: Number(fromRevision),
    sent: Number(sent),
    closed: closed === 1,
    over: over === 1,
    asked: Number(asked),
    unreadBytes: Number(unreadBytes),
  }
}

const spec: TableSpec<SessionDraft> = {
  name: 'sessions',
  columns: [
    'seq',
    'id',
    'role',
    'party',
    'flow_seq',
    'from_revision',
    'sent',
    'closed',
    'over',
    'asked',
    'unread_bytes',
  ],
  values: (row) => [
    row.seq,
    row.key,
    row.role,
    row.party,
    row.flowSeq,
    row.fromRevision,
    row.sent,
    Number(row.closed),
    Number(row.over),
    row.asked,
    row.unreadBytes,
  ],
  changes: [['sent', 'closed', 'over', 'asked', 'unread_bytes']],
  select:
    'SELECT seq, id, role, party, flow_seq, from_revision, sent, closed, over, asked, unread_bytes FROM sessions s',
  read: rowOf,
  idOf: (row) => row.key,
}

export const outgoingOf = (row: SqlRow): OutgoingRow => ({
  revision: Number(row['revision']),
  session: String(row['session']) as SessionId,
  role: String(row['role']) as SessionRole,
  party: String(row['party']) as PublicKey,
  seq: Number(row['seq']),
  text: String(row['message']),
})

export class SessionTable implements Sessions {
  readonly #table: Table<SessionDraft>
  /** The revisions of messages that wait for their acknowledgement, as far as they were sent of late. */
  readonly #sent = new Map<string, number>()
  /** Messages that came of late, by session and number: most are read soon after. */
  readonly #received = new Map<string, string>()
  /** Sessions that a party has opened and that are not over, as far as anyone has asked. */
  readonly #openedBy = new Map<PublicKey, number>()
  /** Unread bytes in sessions with a party that are not over, likewise. */
  readonly #unreadOf = new Map<PublicKey, number>()
  /** How many sessions are closed and not over, likewise; mostly none. */
  #closed: number | undefined
  readonly #openOfFlow: Statement
  readonly #closedByFlow: Statement
  readonly #countClosed: Statement
  readonly #unreadOfParty: Statement
  readonly #openOfParty: Statement
  readonly #insertIncoming: Statement
  readonly #incoming: Statement
  readonly #empty: Statement
  readonly #insertOutgoing: Statement
  readonly #deleteOutgoing: Statement
  readonly #deleteRevision: Statement
  readonly #outgoing: Statement
  readonly #addressees: Statement
  readonly #isOutgoing: Statement

  constructor(db: Database, unit: UnitOfWork) {
    this.#table = new Table(db, unit, spec)
    this.#openOfFlow = db.prepare(`${spec.select} WHERE flow_seq = ? AND closed = 0 ORDER BY seq`)
    this.#closedByFlow = db.prepare(`${spec.select} WHERE flow_seq = ? AND closed = 1 AND over = 0 ORDER BY seq`)
    this.#countClosed = db.prepare('SELECT count(*) AS n FROM sessions WHERE closed = 1 AND over = 0')
    this.#openOfParty = db.prepare(
      "SELECT count(*) AS n FROM sessions WHERE party = ? AND over = 0 AND role = 'responder'",
    )
    this.#unreadOfParty = db.prepare('SELECT sum(unread_bytes) AS n FROM sessions WHERE party = ? AND over = 0')
    this.#insertIncoming = db.prepare('INSERT INTO inbox (session_seq, seq, message) VALUES (?, ?, ?)')
    this.#incoming = db.prepare('SELECT message FROM inbox WHERE session_seq = ? AND seq = ?')
    this.#empty = db.prepare("UPDATE inbox SET message = '' WHERE session_seq = ? AND seq = ?")
    this.#insertOutgoing = db.prepare('INSERT INTO outbox VALUES (?, ?, ?, ?, ?, ?)')
    this.#deleteOutgoing = db.prepare('DELETE FROM outbox WHERE session = ? AND role = ? AND seq = ?')
    this.#deleteRevision = db.prepare('DELETE FROM outbox WHERE revision = ?')
    this.#outgoing = db.prepare('SELECT * FROM outbox WHERE party = ? AND revision > ? ORDER BY revision LIMIT ?')
    this.#addressees = db.prepare('SELECT DISTINCT party FROM outbox')
    this.#isOutgoing = db.prepare('SELECT 1 AS one FROM outbox WHERE session = ? AND role = ? AND seq = ?')
    unit.join({
      committed: () => {
        if (this.#received.size > unit.limits.rowsKept) this.#received.clear()
        if (this.#sent.size > unit.limits.sentKept) this.#sent.clear()
      },
      rolledBack: () => {
        this.#received.clear()
        this.#sent.clear()
        this.#openedBy.clear()
        this.#unreadOf.clear()
        this.#closed = undefined
      },
    })
  }

  insert(row: NewSession): void {
    const { nextSeq: seq } = this.#table
    this.#table.insert({
      ...{ ...row, seq, key: endKey(row.id, row.role) },
      ...{ sent: 0, closed: false, over: row.flowSeq === null, asked: 0, unreadBytes: 0 },
    })
    this.#countOpen(row, 1)
  }

  find(id: SessionId, role: SessionRole): SessionDraft | undefined {
    const seq = this.#table.locate(endKey(id, role))
    return seq === undefined ? undefined : this.#table.get(seq)
  }

  touch(row: SessionDraft): void {
    this.#table.touch(row)
  }

  close(row: SessionDraft): void {
    if (!row.closed && !row.over) this.#closed = this.#closedSessions() + 1
    row.closed = true
    this.#table.touch(row)
  }

  end(row: SessionDraft): void {
    if (row.over) return
    if (row.closed) this.#closed = this.#closedSessions() - 1
    this.#countOpen(row, -1)
    this.#countUnread(row, -row.unreadBytes)
    row.over = true
    this.#table.touch(row)
  }

  #closedSessions(): number {
    if (this.#closed === undefined) {
      this.#table.flush()
      this.#closed = Number(this.#countClosed.get()?.['n'] ?? 0)
    }
    return this.#closed
  }

  hasClosed(): boolean {
    // Every flow that ends asks, and most nodes have no session.
    return this.#table.nextSeq > 1 && this.#closedSessions() > 0
  }

  closedByFlow(flowSeq: number): readonly SessionDraft[] {
    this.#table.flush()
    return this.#closedByFlow.lists(flowSeq).map(this.#table.hold)
  }

  #countOpen({ role, party }: Pick<SessionRow, 'role' | 'party'>, by: number): void {
    const known = role === 'responder' ? this.#openedBy.get(party) : undefined
    if (known !== undefined) this.#openedBy.set(party, known + by)
  }

  openedBy(party: PublicKey): number {
    let known = this.#openedBy.get(party)
    if (known === undefined) {
      this.#table.flush()
      known = Number(this.#openOfParty.get(party)?.['n'] ?? 0)
      this.#openedBy.set(party, known)
    }
    return known
  }

  #countUnread({ party, over }: Pick<SessionRow, 'party' | 'over'>, by: number): void {
    const known = over ? undefined : this.#unreadOf.get(party)
    if (known !== undefined) this.#unreadOf.set(party, known + by)
  }

  unreadOf(party: PublicKey): number {
    let known = this.#unreadOf.get(party)
    if (known === undefined) {
      this.#table.flush()
      known = Number(this.#unreadOfParty.get(party)?.['n'] ?? 0)
      this.#unreadOf.set(party, known)
    }
    return known
  }

  ask(row: SessionDraft, seq: number): void {
    const before = row.unreadBytes
    for (let read = row.asked + 1; read <= seq && row.unreadBytes > 0; read++)
      row.unreadBytes -= this.#bytesOf(row, read)
    this.#countUnread(row, row.unreadBytes - before)
    row.asked = seq
    this.#table.touch(row)
  }

  #bytesOf(row: SessionRow, seq: number): number {
    const text = this.#received.get(placeIn(row, seq)) ?? this.#incoming.get(row.seq, seq)?.['message']
    return typeof text === 'string' ? text.length : 0
  }

  openOfFlow(flowSeq: number): readonly SessionRow[] {
    // Every flow is asked for its sessions when it ends, and most nodes have none.
    if (this.#table.nextSeq === 1) return []
    this.#table.flush()
    return this.#openOfFlow.lists(flowSeq).map(this.#table.hold)
  }

  receive(row: SessionDraft, seq: number, message: string): void {
    this.#insertIncoming.run(row.seq, seq, message)
    this.#received.set(placeIn(row, seq), message)
    if (seq <= row.asked) return
    row.unreadBytes += message.length
    this.#countUnread(row, message.length)
    this.#table.touch(row)
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

  isOutgoing(id: SessionId, role: SessionRole, seq: number): boolean {
    return this.#sent.has(placeOf(id, role, seq)) || this.#isOutgoing.get(id, role, seq) !== undefined
  }

  acknowledged(id: SessionId, role: SessionRole, seq: number): void {
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
}
