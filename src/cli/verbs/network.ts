/**
 * `carillon network`: makes a network of parties on this machine, lets more of them join, shows it, and runs its nodes.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { CarillonError } from '../../errors/CarillonError.js'
import type { Member, NotaryKind } from '../../identity/NetworkMap.js'
import type { NetworkTerms } from '../../identity/SignedNetworkMap.js'
import { addParty } from '../../network/addParty.js'
import { changePartyKey } from '../../network/changePartyKey.js'
import { makeNetwork, type NewMember } from '../../network/makeNetwork.js'
import { networkFiles, readNetworkMap } from '../../network/NetworkFolder.js'
import { appFile } from '../loadApp.js'
import { mapSerialOf } from '../../network/followMap.js'
import { renewMap } from '../../network/renewMap.js'
import { carryOut } from '../carryOut.js'
import { NetworkProcesses } from '../NetworkProcesses.js'
import { readJsonFile } from '../readJsonFile.js'
import { StopSignals } from '../StopSignals.js'
import type { PrintedColumn } from '../table.js'
import { printable, type Terminal, type TextTone } from '../Terminal.js'
import { bareVerb, devOption, jsonOption, namesIn, verbGroup, wholeNumber, type JsonOptions } from '../verb.js'
import { jsonText, printJson, printNote, printTable } from '../print.js'

type NewOptions = JsonOptions & {
  readonly parties: readonly string[]
  readonly notary: readonly NewMember[]
  readonly host: string
  readonly firstPort?: number
  readonly unlessThere?: boolean
}

type RunOptions = JsonOptions & { readonly app: string; readonly only?: readonly string[]; readonly dev?: boolean }

const notaryKinds: Readonly<Record<string, NotaryKind>> = { validating: 'validating', nonValidating: 'nonValidating' }

const kindOf = (text: string): NotaryKind => {
  const kind = notaryKinds[text]
  if (kind === undefined) throw new InvalidArgumentError('A notary is validating or nonValidating.')
  return kind
}

const addNotary = (text: string, others: readonly NewMember[]): readonly NewMember[] => {
  const [name = '', kind = 'validating'] = text.split(':')
  const notary = notaryKinds[kind]
  if (notary === undefined)
    throw new InvalidArgumentError('A notary is validating or nonValidating, as in Notary:nonValidating.')
  return [...others, { name, notary }]
}

const columns: readonly PrintedColumn<Member>[] = [
  { header: 'PARTY', cell: ({ party }) => party.name },
  { header: 'ADDRESS', cell: ({ address }) => address ?? '' },
  { header: 'NOTARY', cell: ({ notary }) => notary ?? '' },
  { header: 'KEY', cell: ({ party }) => party.key, flexible: true },
]

const showMembers = (terminal: Terminal, members: readonly Member[]): void => {
  printTable(terminal, columns, members)
}

const newNetwork = (terminal: Terminal): Command =>
  bareVerb('new', 'make keys, certificates and a signed map for a network on this machine', [
    'network new local --parties Alice,Bob --notary Notary',
    'network new local --parties Alice,Bob,Carol --notary Fast:nonValidating --first-port 10001',
  ])
    .argument('<folder>', 'a folder to make, which will hold a folder for each party')
    .addOption(new Option('--parties <names>', 'the parties, separated by commas').argParser(namesIn).default([]))
    .addOption(
      new Option('--notary <name[:kind]>', 'a notary, validating or nonValidating; may be given again')
        .argParser(addNotary)
        .default([], 'none'),
    )
    .addOption(new Option('--host <host>', 'where the nodes listen').default('127.0.0.1'))
    .addOption(
      new Option(
        '--first-port <port>',
        'the port of the first party, the others follow (default: free ports)',
      ).argParser(wholeNumber(1)),
    )
    .addOption(new Option('--unless-there', 'leave a network that is there as it is; for scripts'))
    .addOption(jsonOption())
    .action(async (folder: string, { parties, notary, host, firstPort, unlessThere, json }: NewOptions) => {
      if (unlessThere === true && existsSync(networkFiles(folder).map)) {
        printJson(terminal, json, mapOf(folder))
        return
      }
      const members = [...parties.map((name) => ({ name })), ...notary]
      const made = await makeNetwork(folder, { members, host, ...(firstPort === undefined ? {} : { firstPort }) })
      if (printJson(terminal, json, made)) return
      terminal.out(terminal.tone('bold', `The network ${printable(made.name)} is ready.`))
      showMembers(terminal, made.members)
      terminal.out('')
      terminal.out('Next:')
      terminal.out(`  carillon network run ${printable(folder)} --app <app-module>`)
      printNote(
        terminal,
        `Anyone who holds root.key can let others in. The nodes do not need it: in production keep it elsewhere.`,
      )
    })

type AddOptions = JsonOptions & { readonly notary?: NotaryKind; readonly host: string; readonly port?: number }

const add = (terminal: Terminal): Command =>
  bareVerb('add', 'let a party join a network: its key, its certificate, and a new map for all', [
    'network add local Carol',
    'network add local Fast --notary nonValidating',
  ])
    .argument('<folder>', 'the folder of the network')
    .argument('<party>', 'the name of the party')
    .addOption(new Option('--notary <kind>', 'make it a notary, validating or nonValidating').argParser(kindOf))
    .addOption(new Option('--host <host>', 'where its node listens').default('127.0.0.1'))
    .addOption(new Option('--port <port>', 'the port of its node (default: a free one)').argParser(wholeNumber(1)))
    .addOption(jsonOption())
    .action(async (folder: string, name: string, { json, ...options }: AddOptions) => {
      const added = await addParty(folder, { name, ...options })
      if (printJson(terminal, json, added)) return
      const { member, serial, told, elsewhere } = added
      terminal.out(terminal.tone('bold', printable(`${name} has joined at ${member.address ?? ''}, by map ${serial}.`)))
      const others = told.filter((each) => each !== name)
      if (others.length > 0)
        terminal.out(printable(`${others.join(', ')} ${others.length === 1 ? 'has' : 'have'} the map too.`))
      if (elsewhere.length > 0)
        terminal.out(printable(`Not here, and to be given ${folder}/network.json: ${elsewhere.join(', ')}.`))
      terminal.out('Nodes that run take it up within seconds.')
      terminal.out('')
      terminal.out('Next:')
      terminal.out(printable(`  carillon run <app-module> --network ${join(folder, name)}`))
    })

const changeKey = (terminal: Terminal): Command =>
  bareVerb(
    'change-key',
    'let a network know that a party signs with another key: a new certificate, and a new map for all',
    ['network change-key local local/Alice/key-change.json'],
  )
    .argument('<folder>', 'the folder of the network')
    .argument('<file>', 'the change, as "key rotate" has written it; - reads from stdin')
    .addOption(jsonOption())
    .action(async (folder: string, file: string, { json }: JsonOptions) => {
      const changed = await changePartyKey(folder, await readJsonFile(file))
      if (printJson(terminal, json, changed)) return
      const { party, serial, elsewhere, certificate } = changed
      terminal.out(terminal.tone('bold', printable(`${party} signs with its new key, by map ${serial}.`)))
      if (elsewhere.length > 0)
        terminal.out(printable(`Not here, and to be given ${folder}/network.json: ${elsewhere.join(', ')}.`))
      if (elsewhere.includes(party)) {
        terminal.out(printable(`${party} also needs this certificate, as certificate.pem in its folder:`))
        terminal.out(certificate)
      }
      terminal.out('Nodes that run take the map up within seconds.')
    })

const renew = (terminal: Terminal): Command =>
  bareVerb('renew', 'sign the map of a network anew, before it expires', ['network renew local'])
    .argument('<folder>', 'the folder of the network')
    .addOption(jsonOption())
    .action(async (folder: string, { json }: JsonOptions) => {
      const renewed = await renewMap(folder)
      if (printJson(terminal, json, renewed)) return
      const { serial, expiresAt, elsewhere } = renewed
      terminal.out(terminal.tone('bold', printable(`Map ${serial} is valid until ${expiresAt}.`)))
      if (elsewhere.length > 0)
        terminal.out(printable(`Not here, and to be given ${folder}/network.json: ${elsewhere.join(', ')}.`))
    })

type AcceptOptions = JsonOptions & { readonly store?: string; readonly note?: string }

const acceptMap = (terminal: Terminal): Command =>
  bareVerb(
    'accept',
    'let a node go by a map that contradicts what it has gone by: of another root, or with other contents',
    ['network accept local/Alice', 'network accept local/Alice --note "the root was replaced, see ticket 12"'],
  )
    .argument('<folder>', 'the folder of the party')
    .addOption(new Option('--store <folder>', 'where the node keeps its store (default: the folder of the party)'))
    .addOption(new Option('--note <text>', 'why; recorded in the log'))
    .addOption(jsonOption())
    .action(async (folder: string, { store, note, json }: AcceptOptions) => {
      const map = mapSerialOf(mapOf(folder))
      const carriedOutBy = await carryOut(
        { store: store ?? folder },
        {
          ...{ on: 'network', action: 'accept', map },
          ...(note === undefined ? {} : { note }),
        },
      )
      if (printJson(terminal, json, { ...map, carriedOutBy })) return
      terminal.out(printable(`The node may go by map ${map.serial} of the root ${map.root}.`))
    })

/** The map of the network in a folder, verified against the root beside it. */
const mapOf = (folder: string): NetworkTerms => {
  const files = networkFiles(folder)
  if (!existsSync(files.map) || !existsSync(files.root))
    throw new CarillonError(
      'network-not-found',
      `There is no network in ${folder}. Make one with "carillon network new ${folder} --parties Alice,Bob --notary Notary".`,
      { folder },
    )
  return readNetworkMap(files.map, readFileSync(files.root, 'utf8'), files.root).terms
}

const show = (terminal: Terminal): Command =>
  bareVerb('show', 'verify the map of a network and list its parties', ['network show local'])
    .argument('<folder>', 'the folder of the network, or of one of its parties')
    .addOption(jsonOption())
    .action((folder: string, { json }: JsonOptions) => {
      const terms = mapOf(folder)
      const { hash } = mapSerialOf(terms)
      if (printJson(terminal, json, { ...terms, hash })) return
      terminal.out(
        printable(
          `${terms.name}, map ${terms.serial} of ${terms.madeAt}, valid until ${terms.expiresAt ?? 'further notice'}, signed by ${terms.root}, hash ${hash}`,
        ),
      )
      showMembers(terminal, terms.members)
    })

const tones: readonly TextTone[] = ['cyan', 'green', 'yellow', 'bold']

/** Runs the nodes until they are asked to stop, or all have ended. */
const runAll = async (folder: string, options: RunOptions, terminal: Terminal): Promise<boolean> => {
  const { app, only, dev, json } = options
  const { members } = mapOf(folder)
  const unknown = only?.find((name) => !members.some(({ party }) => party.name === name))
  if (unknown !== undefined)
    throw new CarillonError('usage', `There is no party ${unknown} in ${folder}. See: carillon network show ${folder}`)
  const chosen = members.filter(({ party }) => only === undefined || only.includes(party.name))
  const file = appFile(app)
  const width = Math.max(...chosen.map(({ party }) => party.name.length))
  const prefix = (party: string): string => {
    const index = chosen.findIndex((member) => member.party.name === party)
    return terminal.tone(tones[index % tones.length] ?? 'dim', `${party.padEnd(width)} |`)
  }
  // The nodes have made what they print safe to show.
  const tell = (party: string, line: string): void =>
    terminal.out(json === true ? withParty(party, line) : `${prefix(party)} ${line}`)
  const processes = new NetworkProcesses(
    chosen.map(({ party, notary }) => ({
      party: party.name,
      isNotary: notary !== undefined,
      args: [
        ...['run', file, '--network', join(resolve(folder), party.name), '--stop-with-stdin'],
        ...(json === true ? ['--json'] : []),
        ...(terminal.isWatched === true ? ['--link'] : []),
        ...(dev === true ? ['--dev'] : []),
      ],
    })),
    {
      out: tell,
      err: (party, line) => terminal.err(`${prefix(party)} ${line}`),
      ended: (party, how) => terminal.err(`${prefix(party)} ended by itself (${how}); the others go on.`),
    },
  )
  const signals = new StopSignals(() => processes.kill())
  const ended = processes.allEnded()
  const why = await Promise.race([signals.asked, ended])
  if (typeof why === 'string') {
    if (json !== true)
      terminal.err(`${why}: stopping ${processes.runningCount} ${processes.runningCount === 1 ? 'node' : 'nodes'} …`)
    await processes.stop()
  }
  return ended
}

const withParty = (party: string, line: string): string => {
  try {
    const document: unknown = JSON.parse(line)
    if (typeof document === 'object' && document !== null) return jsonText({ node: party, ...document })
  } catch {
    // The app itself has printed something.
  }
  return jsonText({ node: party, event: 'printed', text: line })
}

const run = (terminal: Terminal): Command =>
  bareVerb('run', 'run the nodes of a network, each in a process of its own, until Ctrl-C', [
    'network run local --app src/app.ts',
    'network run local --app dist/app.js --only Alice,Notary',
  ])
    .argument('<folder>', 'the folder of the network')
    .addOption(
      new Option('--app <app-module>', 'a module that exports `app`, for all nodes alike').makeOptionMandatory(),
    )
    .addOption(new Option('--only <names>', 'run these parties alone').argParser(namesIn))
    .addOption(devOption())
    .addOption(jsonOption('print one JSON document a line'))
    .action(async (folder: string, options: RunOptions) => {
      process.stdout.on('error', () => undefined)
      const well = await runAll(folder, options, terminal)
      process.exit(well ? 0 : 1)
    })

export const networkVerb = (terminal: Terminal): Command =>
  verbGroup('network', 'make, extend and run a network of parties on this machine', [
    newNetwork(terminal),
    add(terminal),
    changeKey(terminal),
    renew(terminal),
    acceptMap(terminal),
    run(terminal),
    show(terminal),
  ])
