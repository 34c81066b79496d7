/**
 * Questions about activities from outside a tick.
 */
import { CarillonError } from '../../errors/CarillonError.js'
import { StateTypeTable } from '../tables/StateTypeTable.js'
import { pageSize, type Page } from '../../vault/query/VaultQuery.js'
import { pageOf } from './pageOf.js'
import { agendaEntryOf, listedEntry, type AgendaEntry, type AgendaQuery } from '../../agenda/AgendaEntry.js'
import type { ActivityRow } from '../../agenda/ActivityRow.js'
import { stateColumns, stateRowOf, needsAttention } from '../tables/stateColumns.js'
import type { Database, SqlValue } from '../Database.js'
import { readFacts } from '../tables/NodeFactTable.js'

/** Where each list looks, in which order, and the two columns that say where in that order a row stands. */
const lists = {
  scheduled: {
    where: 's.acts_at_ms IS NOT NULL',
    major: 's.acts_at_ms',
    majorOf: (row: ActivityRow) => row.actsAtMs ?? 0,
  },
  attention: {
    where: `(${needsAttention('s')} OR s.seq IN (SELECT state_seq FROM unconsumed WHERE attention_at_ms <= ?) AND s.standing = 'ended')`,
    major: '0',
    majorOf: () => 0,
  },
  paused: { where: "s.standing = 'paused'", major: '0', majorOf: () => 0 },
  started: { where: "s.standing = 'started' AND s.until_revision IS NULL", major: '0', majorOf: () => 0 },
} as const

const isList = (show: string): show is keyof typeof lists => Object.hasOwn(lists, show)

/** A row's place in its list, as text that can be given back. */
const cursorPattern = /^(-?\d{1,16})\.(\d{1,16})$/

const placeAfter = (after: string | undefined): readonly [major: number, seq: number] | undefined => {
  if (after === undefined) return undefined
  const [, major, seq] = cursorPattern.exec(after) ?? []
  if (major === undefined || seq === undefined)
    throw new CarillonError(
      'request-invalid',
      `"${after.slice(0, 40)}" is not a cursor of the agenda. Give the next of the page before, or leave it out.`,
    )
  return [Number(major), Number(seq)]
}

/** A row as its list shows it: one that needs attention without an error was left unconsumed by its flow. */
const entryOf = (row: ActivityRow, show: string): AgendaEntry => {
  const entry = agendaEntryOf(row)
  if (show !== 'attention' || row.standing !== 'ended' || row.error !== null) return entry
  const times = row.attempt === 1 ? 'once' : `${row.attempt} times`
  const message = `Flow ${entry.flow ?? ''} ran ${times} and ended without an error, and the state is still unconsumed. It is not started again before the next start of the node. Retry or dismiss the activity. If the flow completed and this is intended, add leavesState: true to it.`
  return { ...entry, error: { code: 'state-not-consumed', message } }
}

/** `atMs` is the instant that lists go by where time makes a difference. Default: that of the last tick. */
export const readAgenda = (
  db: Database,
  query: AgendaQuery = {},
  atMs = readFacts(db).atMs,
): Page<AgendaEntry, string> => {
  const size = pageSize(query.limit)
  const show: string = query.show ?? 'scheduled'
  if (!isList(show))
    throw new CarillonError(
      'request-invalid',
      `The agenda can show ${Object.keys(lists).join(', ')}; "${show.slice(0, 40)}" is none of them.`,
    )
  const { where, major, majorOf } = lists[show]
  const place = placeAfter(query.after)
  const kinds = new StateTypeTable(db)
  const later = place === undefined ? '' : major === '0' ? 'AND s.seq > ?' : `AND (${major}, s.seq) > (?, ?)`
  const after: readonly SqlValue[] = place === undefined ? [] : major === '0' ? [place[1]] : place
  const values = show === 'attention' ? [atMs, ...after] : after
  const rows = db
    .prepare(
      `SELECT ${stateColumns} FROM states s JOIN transactions t ON t.seq = s.transaction_seq WHERE ${where} ${later} ORDER BY ${major === '0' ? '' : `${major}, `}s.seq LIMIT ?`,
    )
    .lists(...values, size + 1)
    .map((row) => stateRowOf(row, kinds))
  return pageOf(
    rows,
    size,
    (row) => listedEntry(entryOf(row, show)),
    (row) => `${majorOf(row)}.${row.seq}`,
  )
}

/** How many activities stand how. */
export const countAgenda = (
  db: Database,
  atMs = readFacts(db).atMs,
): {
  readonly scheduled: number
  readonly parked: number
  readonly missed: number
  readonly failed: number
  readonly paused: number
  /** Left unconsumed by a flow that completed, and in need of attention. */
  readonly unconsumed: number
} => {
  const standing = new Map(
    db
      .prepare(
        `SELECT standing, count(*) AS n FROM states WHERE ${needsAttention('states')} GROUP BY standing UNION ALL SELECT standing, count(*) FROM states WHERE standing = 'paused' GROUP BY standing`,
      )
      .all()
      .map((row) => [String(row['standing']), Number(row['n'])]),
  )
  const scheduled = Number(
    db.prepare('SELECT count(*) AS n FROM states WHERE acts_at_ms IS NOT NULL').get()?.['n'] ?? 0,
  )
  const unconsumed = db
    .prepare(
      "SELECT count(*) AS n FROM unconsumed u JOIN states s ON s.seq = u.state_seq WHERE u.attention_at_ms <= ? AND s.standing = 'ended' AND s.error IS NULL",
    )
    .get(atMs)
  return {
    scheduled,
    unconsumed: Number(unconsumed?.['n'] ?? 0),
    parked: standing.get('parked') ?? 0,
    missed: standing.get('missed') ?? 0,
    failed: standing.get('ended') ?? 0,
    paused: standing.get('paused') ?? 0,
  }
}

/** How many activities are due at an instant and not started yet. */
export const countDue = (db: Database, atMs: number): number =>
  Number(db.prepare('SELECT count(*) AS n FROM states WHERE acts_at_ms <= ?').get(atMs)?.['n'] ?? 0)
