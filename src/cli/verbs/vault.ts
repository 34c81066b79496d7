/**
 * `carillon vault`: the states this party holds.
 */
import { Option, type Command } from 'commander'
import { readStore } from '../../node/readStore.js'
import type { Moment } from '../../node/timeTravel/moment.js'
import { queryVault, type VaultEntry, type VaultQuery } from '../../vault/readVault.js'
import { atOption, revisionOf } from '../atOption.js'
import { afterOption, gather, limitOption, sayMore, type PageOptions } from '../pages.js'
import { table, type Column } from '../table.js'
import type { Terminal } from '../Terminal.js'
import { verb, type StoreOptions } from '../verb.js'
import { shortRef, showSecond, showJson } from '../words.js'

type Options = StoreOptions &
  PageOptions & {
    readonly type?: string
    readonly status: NonNullable<VaultQuery['status']>
    readonly observed?: boolean
    readonly at?: Moment
  }

const columns: readonly Column<VaultEntry>[] = [
  { header: 'RECORDED', cell: ({ recordedAt }) => showSecond(recordedAt) },
  { header: 'STATE', cell: ({ type }) => type, flexible: true },
  { header: 'REF', cell: ({ ref }) => shortRef(ref), tone: () => 'cyan' },
  { header: 'CONSUMED BY', cell: ({ consumedBy }) => consumedBy?.slice(0, 12) ?? '', tone: () => 'dim' },
  { header: 'DATA', cell: ({ data }) => showJson(data), flexible: true },
]

export const vault = (terminal: Terminal): Command =>
  verb(
    'vault',
    'show the states this party holds, oldest first',
    [
      'vault',
      'vault --type heartbeat/Heartbeat --status all',
      'vault --at 2026-01-31T09:00:00Z',
      'vault --json | jq .data',
    ],
    'print one JSON document a line',
  )
    .addOption(new Option('--type <type>', 'only states of this type'))
    .addOption(
      new Option('--status <status>', 'whether they are used up')
        .choices(['unconsumed', 'consumed', 'all'])
        .default('unconsumed'),
    )
    .addOption(new Option('--observed', 'also states that are kept for others and not relevant to this party'))
    .addOption(atOption('the vault'))
    .addOption(limitOption())
    .addOption(afterOption())
    .action(({ store, json, type, status, observed, at, ...page }: Options) => {
      const wanted = { status, includeIrrelevant: observed === true, ...(type === undefined ? {} : { type }) }
      const found = readStore(store, (db) => {
        const then = at === undefined ? {} : { at: revisionOf(db, at) }
        return gather(page, (query) => queryVault(db, { ...query, ...wanted, ...then }))
      })
      if (json === true) for (const entry of found.items) terminal.out(JSON.stringify(entry))
      else if (found.items.length === 0) terminal.out('No such states.')
      else for (const line of table(columns, found.items, terminal)) terminal.out(line)
      sayMore(terminal, found)
    })
