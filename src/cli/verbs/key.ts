/**
 * `carillon key`: shows which key a node signs with, and changes it.
 */
import type { Command } from 'commander'
import { networkFolderOf } from '../../network/NetworkFolder.js'
import { openLog } from '../../logs/openLog.js'
import { readStore } from '../../folder/readStore.js'
import { rotateKey } from '../../folder/rotateKey.js'
import { readKeyChanges } from '../../storage/tables/MapTable.js'
import { readFacts } from '../../storage/tables/NodeFactTable.js'
import { logOption, type LogOptions } from '../namedLog.js'
import type { PrintedColumn } from '../table.js'
import { printable, type Terminal } from '../Terminal.js'
import { networkOption, verb, verbGroup, type StoreOptions } from '../verb.js'
import { jsonText, printJson, printList, printNote } from '../print.js'

type RotateOptions = LogOptions & { readonly network?: string }

const rotate = (terminal: Terminal): Command =>
  verb('rotate', 'let the node sign with a new key from now on; it must not run meanwhile', [
    'key rotate',
    'key rotate --log postgres://host/database',
  ])
    .addOption(networkOption("the party's folder in its network, which holds the key (default: that of the store)"))
    .addOption(logOption())
    .action(async ({ store, json, network: named, log: address }: RotateOptions) => {
      const folder = networkFolderOf(store, named)
      const log = address === undefined ? undefined : await openLog(address)
      try {
        const { change, file } = await rotateKey(store, {
          ...(folder === undefined ? {} : { keyFolder: folder }),
          ...(log === undefined ? {} : { log }),
        })
        if (printJson(terminal, json, { ...change, file })) return
        terminal.out(`The node signs with ${change.to} from now on. What ${change.from} has signed stays valid.`)
        if (folder === undefined) return
        terminal.out('')
        terminal.out('Next, the operator of the network tells the other parties:')
        terminal.out(printable(`  carillon network change-key <network folder> ${file}`))
        printNote(terminal, 'Until then the other parties refuse what the node signs.')
      } finally {
        await log?.close()
      }
    })

type Row = { readonly key: string; readonly fromTick: number; readonly network: string }

const columns: readonly PrintedColumn<Row>[] = [
  { header: 'FROM TICK', cell: ({ fromTick }) => fromTick.toLocaleString('en'), align: 'right' },
  { header: 'KEY', cell: ({ key }) => key, flexible: true },
  { header: 'NETWORK', cell: ({ network }) => network, tone: () => 'dim', flexible: true, spare: true },
]

const changes = (terminal: Terminal): Command =>
  verb('changes', "print the changes of the node's key, for the operator of the network", [
    'key changes > key-change.json',
  ]).action(({ store }: StoreOptions) => {
    const own = readStore(store, (db) => {
      const { partyKey } = readFacts(db)
      return readKeyChanges(db).filter(({ party }) => party === partyKey)
    })
    terminal.out(jsonText(own, 2))
  })

const show = (terminal: Terminal): Command =>
  verb('show', 'list the keys that have signed the log, and since which tick', ['key show']).action(
    async ({ store, json }: StoreOptions) => {
      const { signers } = readStore(store, readFacts)
      await printList(terminal, json, { rows: signers, columns, empty: 'No node has run on this store yet.' })
    },
  )

export const keyVerb = (terminal: Terminal): Command =>
  verbGroup('key', 'show and change the key that a node signs with', [
    rotate(terminal),
    show(terminal),
    changes(terminal),
  ])
