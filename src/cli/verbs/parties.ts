/**
 * `carillon parties` and `carillon sessions`: with whom a node talks, and about what.
 */
import type { Command } from 'commander'
import { PartyEntryC, SessionEntryC, type PartyEntry, type SessionEntry } from '../../http/answers.js'
import { listVerb, type PageOptions } from '../pages.js'
import type { PrintedColumn } from '../table.js'
import type { Terminal } from '../Terminal.js'
import { networkOption, type ApiOptions } from '../verb.js'
import { shortId } from '../words.js'

type Options = ApiOptions & Partial<PageOptions> & { readonly network?: string }

const partyColumns: readonly PrintedColumn<PartyEntry>[] = [
  {
    header: 'PARTY',
    cell: ({ name, isMe }) => (isMe ? `${name} (this node)` : name),
    tone: ({ isMe }) => (isMe ? 'bold' : undefined),
  },
  { header: 'NOTARY', cell: ({ notary }) => notary ?? '' },
  { header: 'ADDRESS', cell: ({ address }) => address ?? '' },
  { header: 'SESSIONS', cell: ({ openSessions }) => openSessions.toLocaleString('en'), align: 'right' },
  {
    header: 'WAITING',
    cell: ({ unacknowledged }) => unacknowledged.toLocaleString('en'),
    tone: ({ unacknowledged }) => (unacknowledged > 0 ? 'yellow' : undefined),
    align: 'right',
  },
  { header: 'KEY', cell: ({ key }) => key, tone: () => 'dim', flexible: true, spare: true },
]

export const partiesVerb = (real: Terminal): Command =>
  listVerb<Options, PartyEntry>(
    real,
    [
      'parties',
      'list the parties of the network, with open sessions and unacknowledged messages',
      ['parties', 'parties --watch', 'parties --store local/Alice'],
    ],
    {
      path: '/parties',
      item: PartyEntryC,
      columns: () => partyColumns,
      empty: 'No node has run here yet, so there is no party.',
      options: [networkOption()],
      isWhole: true,
    },
  )

const sessionColumns: readonly PrintedColumn<SessionEntry>[] = [
  { header: 'SESSION', cell: ({ id }) => id.slice(0, 12), tone: () => 'cyan' },
  { header: 'WITH', cell: ({ party }) => party, flexible: true },
  { header: 'ROLE', cell: ({ role }) => role },
  {
    header: 'STATUS',
    cell: ({ closed }) => (closed ? 'closed' : 'open'),
    tone: ({ closed }) => (closed ? 'dim' : 'green'),
  },
  { header: 'SENT', cell: ({ sent }) => String(sent), align: 'right' },
  { header: 'GOT', cell: ({ received }) => String(received), align: 'right' },
  { header: 'FLOW', cell: ({ flowName }) => flowName ?? '', flexible: true },
  { header: 'ID', cell: ({ flow }) => (flow === undefined ? '' : shortId(flow)), tone: () => 'cyan', spare: true },
]

export const sessionsVerb = (real: Terminal): Command =>
  listVerb<Options, SessionEntry>(
    real,
    ['sessions', 'list sessions with other parties, newest first', ['sessions', 'sessions --watch']],
    {
      path: '/sessions',
      item: SessionEntryC,
      columns: () => sessionColumns,
      empty: 'This node has not talked with another party yet.',
      options: [networkOption()],
    },
  )
