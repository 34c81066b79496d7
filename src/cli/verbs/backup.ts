/**
 * `carillon backup`: copy a store while its node runs, make a store out of such a copy, and let it go on.
 */
import { Option, type Command } from 'commander'
import type { Head } from '../../log/Tick.js'
import { CarillonError } from '../../errors/CarillonError.js'
import type { EventLog } from '../../log/EventLog.js'
import { acceptRestored, compareRestored, type Acceptance } from '../../backup/acceptRestored.js'
import { compareWithPeers } from '../../backup/compareWithPeers.js'
import { backupStore, restoreStore } from '../../backup/backupStore.js'
import { parseCheckpoint } from '../../history/parseCheckpoint.js'
import { openNetworkFolder } from '../../network/NetworkFolder.js'
import { openLog } from '../../logs/openLog.js'
import { TlsTransport } from '../../transport/TlsTransport.js'
import { systemClock } from '../../time/SystemClock.js'
import { logOption, type LogOptions } from '../namedLog.js'
import { operatorName } from '../operatorName.js'
import { withProgress } from '../ProgressBar.js'
import { readJsonFile } from '../readJsonFile.js'
import { printable, type Terminal } from '../Terminal.js'
import { storeHint, verb, verbGroup, type StoreOptions } from '../verb.js'
import { showCount } from '../words.js'
import { printJson, printNote } from '../print.js'

type AcceptOptions = LogOptions & { readonly note?: string }

type CompareOptions = AcceptOptions & {
  readonly peers?: boolean
  readonly network?: string
  readonly without?: readonly string[]
}

const noteOption = (): Option => new Option('--note <text>', 'a remark, recorded with the decision')

const tell = (terminal: Terminal, json: boolean | undefined, head: Head, what: string, hint: string): void => {
  if (printJson(terminal, json, { head })) return
  terminal.out(printable(what))
  printNote(terminal, printable(hint))
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
        'node.key is in it where the store has one, sealed; what opens it (node.secret, or the passphrase) is not: keep that elsewhere.',
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
        `Before a node runs on it: carillon backup compare --peers${storeHint(store)}, or with files that hold the checkpoints that others keep, or carillon backup go-on${storeHint(store)}. Put node.secret there too, unless the key has a passphrase.`,
      )
    })

const acceptanceOf = ({ note }: AcceptOptions): Acceptance => ({
  by: operatorName(),
  ...(note === undefined ? {} : { note }),
})

/** Does something with the log of the store, wherever it is kept. */
const withLog = async <A>(
  { log }: AcceptOptions,
  work: (options: { readonly log?: EventLog }) => Promise<A>,
): Promise<A> => {
  if (log === undefined) return work({})
  const opened = await openLog(log)
  try {
    return await work({ log: opened })
  } finally {
    await opened.close()
  }
}

type Compared = { readonly head: Head; readonly what: string }

const compareFiles = async (
  terminal: Terminal,
  files: readonly string[],
  options: CompareOptions,
): Promise<Compared> => {
  const heads = await Promise.all(files.map(async (file) => parseCheckpoint(await readJsonFile(file))))
  const head = await withLog(options, (where) =>
    withProgress(terminal, 'Comparing', (onProgress) =>
      compareRestored(options.store, heads, acceptanceOf(options), { ...where, onProgress }),
    ),
  )
  return { head, what: heads.length === 1 ? 'the checkpoint' : `all ${heads.length} checkpoints` }
}

const compareByAsking = async (terminal: Terminal, options: CompareOptions): Promise<Compared> => {
  const { store, without, network = store } = options
  if (options.log !== undefined)
    throw new CarillonError(
      'usage',
      '--peers is for a log in the store. A node whose log is elsewhere asks by itself when it starts.',
    )
  const folder = openNetworkFolder(network)
  const transport = await TlsTransport.open({ ...folder, network: folder.map.network })
  try {
    const peers = { transport, network: folder.map.network, clock: systemClock }
    const { head, parties } = await withProgress(terminal, 'Comparing', (onProgress) =>
      compareWithPeers(store, peers, acceptanceOf(options), {
        onProgress,
        key: folder.key,
        ...(without === undefined ? {} : { without }),
      }),
    )
    return { head, what: `the checkpoints that ${parties.join(', ')} keep` }
  } finally {
    await transport.close()
  }
}

const several = (party: string, before: readonly string[] = []): readonly string[] => [...before, party]

const compare = (terminal: Terminal): Command =>
  verb(
    'compare',
    'compare a restored store with checkpoints that others keep of its log, and let it go on if it holds them',
    [
      'backup compare --peers --store ./restored',
      'backup compare head-kept-by-bob.json head-kept-by-carol.json --store ./restored',
    ],
  )
    .argument('[files...]', 'checkpoints as "carillon log head" prints them, one a file')
    .addOption(new Option('--peers', 'ask the other parties of the network for the checkpoints they keep'))
    .addOption(new Option('--network <folder>', "the party's folder of the network; by default the store"))
    .addOption(new Option('--without <party>', 'a party that need not answer; may be repeated').argParser(several))
    .addOption(logOption())
    .addOption(noteOption())
    .action(async (files: readonly string[], options: CompareOptions) => {
      if ((options.peers === true) === files.length > 0)
        throw new CarillonError('usage', 'Give the files that hold the checkpoints, or --peers to ask for them.')
      const { head, what } = await (options.peers === true
        ? compareByAsking(terminal, options)
        : compareFiles(terminal, files, options))
      tell(
        terminal,
        options.json,
        head,
        `The store holds ${what}; a node may run on it.`,
        'What happened after the newest of these checkpoints was signed, nobody but the lost store could have told.',
      )
    })

const goOn = (terminal: Terminal): Command =>
  verb('go-on', 'let a node run on a restored store without comparing it with anything', [
    'backup go-on --store ./restored --note "the old machine burnt down; nothing ran since"',
  ])
    .addOption(logOption())
    .addOption(noteOption())
    .action(async (options: AcceptOptions) => {
      const head = await withLog(options, (where) => acceptRestored(options.store, acceptanceOf(options), where))
      tell(
        terminal,
        options.json,
        head,
        'A node may run on the store; that you said so is recorded.',
        'If others have seen more than this store holds, they will find two histories signed with one key.',
      )
    })

export const backupVerb = (terminal: Terminal): Command =>
  verbGroup('backup', 'copy a store while its node runs, restore it, and let it go on', [
    make(terminal),
    restore(terminal),
    compare(terminal),
    goOn(terminal),
  ])
