/**
 * `carillon backup`: copy a store while its node runs, make a store out of such a copy, and let it go on.
 */
import { Option, type Command } from 'commander'
import type { Head } from '../../log/Tick.js'
import { acceptRestored, compareRestored } from '../../node/backup/acceptRestored.js'
import { backupStore, restoreStore } from '../../node/backup/backupStore.js'
import { readSignedHead } from '../../node/logTools/signedHeadsIn.js'
import { operatorName } from '../operatorName.js'
import { withProgress } from '../Progress.js'
import { readJsonFile } from '../readJsonFile.js'
import { printable, type Terminal } from '../Terminal.js'
import { storeHint, verb, verbGroup, type StoreOptions } from '../verb.js'
import { showCount } from '../words.js'

type AcceptOptions = StoreOptions & { readonly note?: string }

const noteOption = (): Option => new Option('--note <text>', 'a remark, recorded with the decision')

const tell = (terminal: Terminal, json: boolean | undefined, head: Head, what: string, hint: string): void => {
  if (json === true) {
    terminal.out(JSON.stringify({ head }))
    return
  }
  terminal.out(printable(what))
  terminal.err(terminal.tone('dim', printable(hint)))
}

const make = (terminal: Terminal): Command =>
  verb('make', 'copy a store into a folder, while its node runs or not, and verify the copy', [
    'backup make /backups/2026-01-31',
  ])
    .argument('<folder>', 'an empty folder, or one that does not exist yet')
    .action(async (folder: string, { store, json }: StoreOptions) => {
      const head = await withProgress(terminal, 'Verifying', (onVerified) => backupStore(store, folder, { onVerified }))
      tell(
        terminal,
        json,
        head,
        `${showCount(head.revision + 1, 'event')} backed up to ${folder}, head ${head.hash}.`,
        'The key is in it, sealed; what opens it (node.secret, or the passphrase) is not: keep that elsewhere.',
      )
    })

const restore = (terminal: Terminal): Command =>
  verb('restore', 'make a store out of a backup; it is only read until it was compared or told to go on', [
    'backup restore /backups/2026-01-31 --store ./restored',
  ])
    .argument('<folder>', 'the folder of the backup')
    .action(async (folder: string, { store, json }: StoreOptions) => {
      const head = await withProgress(terminal, 'Verifying', (onVerified) =>
        restoreStore(folder, store, { onVerified }),
      )
      tell(
        terminal,
        json,
        head,
        `${showCount(head.revision + 1, 'event')} restored to ${store}, head ${head.hash}.`,
        `Before a node runs on it: carillon backup compare <heads that others keep>${storeHint(store)}, or carillon backup go-on${storeHint(store)}. Put node.secret there too, unless the key has a passphrase.`,
      )
    })

const compare = (terminal: Terminal): Command =>
  verb(
    'compare',
    'compare a restored store with signed heads that others keep of its log, and let it go on if it holds them',
    ['backup compare head-kept-by-bob.json head-kept-by-carol.json --store ./restored'],
  )
    .argument('<files...>', 'heads as "carillon log head" prints them, one a file')
    .addOption(noteOption())
    .action(async (files: readonly string[], { store, json, note }: AcceptOptions) => {
      const heads = await Promise.all(files.map(async (file) => readSignedHead(await readJsonFile(file))))
      const acceptance = { by: operatorName(), ...(note === undefined ? {} : { note }) }
      const head = await withProgress(terminal, 'Comparing', (count) =>
        compareRestored(store, heads, acceptance, count),
      )
      tell(
        terminal,
        json,
        head,
        `The store holds ${heads.length === 1 ? 'the head' : `all ${heads.length} heads`}; a node may run on it.`,
        'What happened after the newest of these heads was signed, nobody but the lost store could have told.',
      )
    })

const goOn = (terminal: Terminal): Command =>
  verb('go-on', 'let a node run on a restored store without comparing it with anything', [
    'backup go-on --store ./restored --note "the old machine burnt down; nothing ran since"',
  ])
    .addOption(noteOption())
    .action(async ({ store, json, note }: AcceptOptions) => {
      const head = await acceptRestored(store, { by: operatorName(), ...(note === undefined ? {} : { note }) })
      tell(
        terminal,
        json,
        head,
        'A node may run on the store; that you said so is recorded.',
        'If others have seen more than this store holds, they will find two histories signed with one key.',
      )
    })

export const backup = (terminal: Terminal): Command =>
  verbGroup('backup', 'copy a store while its node runs, restore it, and let it go on', [
    make(terminal),
    restore(terminal),
    compare(terminal),
    goOn(terminal),
  ])
