/**
 * `carillon log heads`: whose checkpoints a node keeps, and how far each goes.
 */
import type { Command } from 'commander'
import type { KeptCheckpoint } from '../../log/NodeTables.js'
import { readHeads } from '../../http/questions/readHeads.js'
import { readStore } from '../../folder/readStore.js'
import { afterTextOption, gather, limitOption, sayMore, type PageOptions } from '../pages.js'
import type { Column } from '../table.js'
import type { Terminal } from '../Terminal.js'
import { verb, type StoreOptions } from '../verb.js'
import { watching, watchOption } from '../watching.js'
import { showSecond } from '../words.js'
import { printList } from '../print.js'

const columns: readonly Column<KeptCheckpoint>[] = [
  { header: 'PARTY', cell: ({ party }) => party.name, flexible: true },
  { header: 'REVISION', cell: ({ checkpoint }) => checkpoint.revision.toLocaleString('en'), align: 'right' },
  { header: 'KEPT SINCE', cell: ({ keptAt }) => showSecond(keptAt) },
  { header: 'HASH', cell: ({ checkpoint }) => checkpoint.hash, tone: () => 'dim', flexible: true, spare: true },
]

export const heads = (real: Terminal): Command =>
  verb(
    'heads',
    'list the checkpoints that the node keeps, the newest of each party it talks with',
    ['log heads', 'log heads --json | jq .checkpoint.revision'],
    'print one JSON document a line',
  )
    .addOption(limitOption())
    .addOption(afterTextOption())
    .addOption(watchOption())
    .action(
      watching(real, (terminal) => async ({ store, json, ...page }: StoreOptions & PageOptions<string>) => {
        const found = readStore(store, (db) => gather(page, (query) => readHeads(db, query)))
        await printList(terminal, json, {
          rows: found.items,
          columns,
          empty: 'None is kept yet: checkpoints come from parties that the node talks with.',
        })
        sayMore(terminal, found)
      }),
    )
