/**
 * `carillon log heads`: whose checkpoints a node keeps, and how far each goes.
 */
import type { Command } from 'commander'
import { KeptHeadC, type KeptCheckpoint } from '../../http/answers.js'
import { listVerb } from '../pages.js'
import type { PrintedColumn } from '../table.js'
import type { Terminal } from '../Terminal.js'
import { showSecond } from '../words.js'

const columns: readonly PrintedColumn<KeptCheckpoint>[] = [
  { header: 'PARTY', cell: ({ party }) => party.name, flexible: true },
  { header: 'REVISION', cell: ({ checkpoint }) => checkpoint.revision.toLocaleString('en'), align: 'right' },
  { header: 'KEPT SINCE', cell: ({ keptAt }) => showSecond(keptAt) },
  { header: 'HASH', cell: ({ checkpoint }) => checkpoint.hash, tone: () => 'dim', flexible: true, spare: true },
]

export const heads = (real: Terminal): Command =>
  listVerb(
    real,
    [
      'heads',
      'list the checkpoints that the node keeps, the newest of each party it talks with',
      ['log heads', 'log heads --json | jq .checkpoint.revision'],
    ],
    {
      path: '/log/heads',
      item: KeptHeadC,
      columns: () => columns,
      empty: 'None is kept yet: checkpoints come from parties that the node talks with.',
    },
  )
