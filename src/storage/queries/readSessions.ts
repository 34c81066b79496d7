/**
 * With whom this node talks: the parties of its map with their open sessions and unacknowledged messages, and the
 * sessions one by one.
 */
import type { FlowId } from '../../log/FlowId.js'
import type { NetworkMap } from '../../identity/NetworkMap.js'
import { readFacts } from '../tables/NodeFactTable.js'
import { pageSize, type Page } from '../../vault/query/VaultQuery.js'
import { pageOf } from './pageOf.js'
import type { Database, SqlRow } from '../Database.js'

export type PartyEntry = {
  readonly name: string
  readonly key: string
  readonly isMe: boolean
  readonly openSessions: number
  readonly unacknowledged: number
  readonly address?: string
  readonly notary?: string
}

const countBy = (db: Database, sql: string): ReadonlyMap<string, number> =>
  new Map(
    db
      .prepare(sql)
      .all()
      .map((row) => [String(row['party']), Number(row['n'])]),
  )

const numberFrom = (db: Database, sql: string): number => Number(db.prepare(sql).get()?.['n'] ?? 0)

/** How much is under way with other parties. */
export const countMessages = (db: Database) => ({
  openSessions: numberFrom(db, 'SELECT count(*) AS n FROM sessions WHERE closed = 0'),
  silentSessions: numberFrom(
    db,
    "SELECT count(*) AS n FROM sessions WHERE closed = 0 AND role = 'responder' AND asked = 1",
  ),
  unreadBytes: numberFrom(db, 'SELECT sum(unread_bytes) AS n FROM sessions WHERE over = 0'),
  unacknowledged: numberFrom(db, 'SELECT count(*) AS n FROM outbox'),
})

export const readParties = (db: Database, network: NetworkMap): readonly PartyEntry[] => {
  const me = readFacts(db).partyKey
  const open = countBy(db, 'SELECT party, count(*) AS n FROM sessions WHERE closed = 0 GROUP BY party')
  const unacknowledged = countBy(db, 'SELECT party, count(*) AS n FROM outbox GROUP BY party')
  return network.members.map(({ party, address, notary }) => ({
    name: party.name,
    key: party.key,
    isMe: party.key === me,
    openSessions: open.get(party.key) ?? 0,
    unacknowledged: unacknowledged.get(party.key) ?? 0,
    ...(address === undefined ? {} : { address }),
    ...(notary === undefined ? {} : { notary }),
  }))
}

export type SessionEntry = {
  readonly id: string
  readonly role: string
  readonly party: string
  readonly sent: number
  readonly received: number
  readonly closed: boolean
  readonly revision: number
  readonly flow?: FlowId
  readonly flowName?: string
}

const entryOf =
  (network: NetworkMap) =>
  (row: SqlRow): SessionEntry => {
    const key = String(row['party'])
    const flow = row['flow_id']
    return {
      // The last digit tells this node's end from the other one.
      id: String(row['id']).slice(0, -1),
      role: String(row['role']),
      party: network.members.find(({ party }) => party.key === key)?.party.name ?? key,
      sent: Number(row['sent']),
      received: Number(row['received']),
      closed: row['closed'] === 1,
      revision: Number(row['from_revision']),
      ...(typeof flow === 'string' ? { flow: flow as FlowId, flowName: String(row['flow_name']) } : {}),
    }
  }

export const readSessions = (
  db: Database,
  network: NetworkMap,
  { limit, after }: { readonly limit?: number; readonly after?: number },
): Page<SessionEntry> => {
  const size = pageSize(limit)
  const rows = db
    .prepare(
      'SELECT s.*, f.id AS flow_id, f.name AS flow_name, (SELECT count(*) FROM inbox i WHERE i.session_seq = s.seq) AS received FROM sessions s LEFT JOIN flows f ON f.seq = s.flow_seq WHERE s.seq < ? ORDER BY s.seq DESC LIMIT ?',
    )
    .all(after ?? Number.MAX_SAFE_INTEGER, size + 1)
  return pageOf(rows, size, entryOf(network), (row) => Number(row['seq']))
}
