/**
 * `carillon parties` and `carillon sessions`: with whom a node talks, and about what.
 */
import { readFileSync } from 'node:fs'
import { isLeft } from 'fp-ts/lib/Either.js'
import { Option, type Command } from 'commander'
import { zeroHash } from '../../encoding/hash.js'
import { decodeWith } from '../../encoding/decode.js'
import { readParties, readSessions, type PartyEntry, type SessionEntry } from '../../http/questions/readSessions.js'
import { NetworkMap } from '../../identity/NetworkMap.js'
import { PartyC, type Party } from '../../identity/Party.js'
import { networkFiles, networkFolderOf, readNetworkMap } from '../../network/NetworkFolder.js'
import { readStore } from '../../folder/readStore.js'
import type { Database } from '../../storage/Database.js'
import { readFacts } from '../../storage/tables/NodeFactTable.js'
import { afterOption, gather, limitOption, sayMore, type PageOptions } from '../pages.js'
import type { Column } from '../table.js'
import type { Terminal } from '../Terminal.js'
import { verb, type StoreOptions } from '../verb.js'
import { watching, watchOption } from '../watching.js'
import { shortId } from '../words.js'
import { printList } from '../print.js'

type Options = StoreOptions & { readonly network?: string }

const networkOption = (): Option =>
  new Option('--network <folder>', "the party's folder in its network (default: that of the store)").env(
    'CARILLON_NETWORK',
  )

const meOf = (db: Database): Party | undefined => {
  const { partyName, partyKey } = readFacts(db)
  const me = decodeWith(PartyC, { name: partyName, key: partyKey })
  return isLeft(me) ? undefined : me.right
}

/** The map of the party's network; a node without one knows itself alone. */
const networkOf = (store: string, named: string | undefined, me: Party | undefined): NetworkMap => {
  const folder = networkFolderOf(store, named)
  if (folder === undefined) return me === undefined ? new NetworkMap([], zeroHash) : NetworkMap.alone(me)
  const { map, root } = networkFiles(folder)
  return readNetworkMap(map, readFileSync(root, 'utf8'), root).network
}

const partyColumns: readonly Column<PartyEntry>[] = [
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

export const parties = (real: Terminal): Command =>
  verb(
    'parties',
    'list the parties of the network, with open sessions and unacknowledged messages',
    ['parties', 'parties --watch', 'parties --store local/Alice'],
    'print one JSON document a line',
  )
    .addOption(networkOption())
    .addOption(watchOption())
    .action(
      watching(real, (terminal) => async ({ store, json, network }: Options) => {
        const found = readStore(store, (db) => {
          const me = meOf(db)
          return me === undefined ? [] : readParties(db, networkOf(store, network, me), me)
        })
        await printList(terminal, json, {
          rows: found,
          columns: partyColumns,
          empty: 'No node has run here yet, so there is no party.',
        })
      }),
    )

const sessionColumns: readonly Column<SessionEntry>[] = [
  { header: 'SESSION', cell: ({ id }) => id.slice(0, 12), tone: () => 'cyan' },
  { header: 'WITH', cell: ({ party }) => party, flexible: true },
  { header: 'ROLE', cell: ({ role }) => role },
  {
    header: 'IS',
    cell: ({ closed }) => (closed ? 'closed' : 'open'),
    tone: ({ closed }) => (closed ? 'dim' : 'green'),
  },
  { header: 'SENT', cell: ({ sent }) => String(sent), align: 'right' },
  { header: 'GOT', cell: ({ received }) => String(received), align: 'right' },
  { header: 'FLOW', cell: ({ flowName }) => flowName ?? '', flexible: true },
  { header: 'ID', cell: ({ flow }) => (flow === undefined ? '' : shortId(flow)), tone: () => 'cyan', spare: true },
]

export const sessions = (real: Terminal): Command =>
  verb(
    'sessions',
    'list sessions with other parties, newest first',
    ['sessions', 'sessions --watch'],
    'print one JSON document a line',
  )
    .addOption(networkOption())
    .addOption(limitOption())
    .addOption(afterOption())
    .addOption(watchOption())
    .action(
      watching(real, (terminal) => async ({ store, json, network, ...page }: Options & PageOptions) => {
        const found = readStore(store, (db) => {
          const map = networkOf(store, network, meOf(db))
          return gather(page, (query) => readSessions(db, map, query))
        })
        await printList(terminal, json, {
          rows: found.items,
          columns: sessionColumns,
          empty: 'This node has not talked with another party yet.',
        })
        sayMore(terminal, found)
      }),
    )
