/**
 * `carillon run`: a node on a store folder, with its control socket, until a signal stops it in good order.
 */
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { Option, type Command } from 'commander'
import type { App } from '../../app/App.js'
import { CarillonError, messageOf } from '../../errors/CarillonError.js'
import type { HttpServer } from '../../http/listenHttp.js'
import { decodeEvent } from '../../log/decodeEvent.js'
import { openControlSocket, type ControlOptions, type ControlSocket } from '../../http/ControlSocket.js'
import type { Logger } from '../../engine/Logger.js'
import type { Node } from '../../node/Node.js'
import { readStore } from '../../folder/readStore.js'
import { startNode } from '../../node/startNode.js'
import { storeFiles } from '../../folder/StoreFolder.js'
import { jsonLogger } from '../../telemetry/jsonLogger.js'
import { logOutcomes } from '../../telemetry/logOutcomes.js'
import { toMillis } from '../../time/Instant.js'
import { readFacts } from '../../storage/tables/NodeFactTable.js'
import { banner } from '../banner.js'
import { printJson, printLine, printableLines } from '../print.js'
import { LiveLines } from '../LiveLines.js'
import type { LoadedApp } from '../loadApp.js'
import { showLiveLine, showUntold } from '../showLiveLine.js'
import { StopSignals } from '../StopSignals.js'
import { httpAddress, linkOption, linkToPrint, openHttp, withTlsOptions, type HttpChoice } from '../openHttp.js'
import { storeStatus } from '../storeStatus.js'
import type { Terminal } from '../Terminal.js'
import { terminalLogger } from '../terminalLogger.js'
import { devOption, networkOption, verb, type StoreOptions } from '../verb.js'
import { isVerbName } from '../verbNames.js'
import { withApp } from '../withApp.js'

type Options = StoreOptions &
  HttpChoice & {
    readonly party?: string
    readonly dev?: boolean
    readonly network?: string
    readonly listenOn?: string
    readonly healthOn?: string
    readonly log?: string
    readonly logFormat?: 'text' | 'json'
    readonly logLevel: 'debug' | 'info' | 'warn' | 'error'
    readonly stopWithStdin?: boolean
  }

const loggerFor = ({ logFormat, logLevel }: Options, terminal: Terminal): Logger =>
  logFormat === 'json' ? jsonLogger({ level: logLevel, to: printableLines(process.stderr) }) : terminalLogger(terminal)

const liveLinesOf = (node: Node, terminal: Terminal, json: boolean | undefined): LiveLines =>
  new LiveLines({
    tell: (line) => printLine(terminal, json, { event: 'outcome', ...line }, showLiveLine(line, terminal)),
    tellMore: (untold) => printLine(terminal, json, { event: 'more', ...untold }, showUntold(untold, terminal)),
    flow: (id) => node.flow(id),
    later: (ms, callback) => {
      const timer = setTimeout(callback, ms).unref()
      return () => clearTimeout(timer)
    },
  })

/** Where the log ended before this start. */
const headBefore = (store: string): number =>
  existsSync(storeFiles(store).database) ? readStore(store, readFacts).head.revision : -1

/** The first tick is over before anyone can follow the node, and may hold all that was overdue: it is read from the log. */
const hearFrom = async (node: Node, revision: number, lines: LiveLines): Promise<void> => {
  const heard = node.head.revision
  node.follow(lines.hear)
  for await (const tick of node.readLog(revision)) {
    if (tick.firstRevision > heard) return
    const events = tick.events.map((line, index) => decodeEvent(line, tick.firstRevision + index))
    lines.hear({ events, atMs: toMillis(tick.at) })
  }
}

/** Without its socket a node does its work all the same; only its operator must know. */
const openSocket = async (
  node: Node,
  store: string,
  options: ControlOptions & { readonly logger: Logger },
): Promise<ControlSocket | undefined> => {
  try {
    return await openControlSocket(node, store, options)
  } catch (error) {
    options.logger.warn(`The node runs, but takes no commands. ${messageOf(error)}`, {})
    return undefined
  }
}

const greet = (node: Node, app: App, options: Options, terminal: Terminal, http?: HttpServer): void => {
  const { store, json } = options
  const status = storeStatus(store)
  const link = linkToPrint(http, options, terminal)
  const started = {
    event: 'started',
    pid: process.pid,
    party: node.party,
    app: { name: app.name, version: app.version },
    ...status,
    ...(http === undefined ? {} : { http: http.url }),
    ...(link === undefined ? {} : { dashboard: link }),
  }
  if (printJson(terminal, json, started)) return
  for (const line of banner(status, app, node.party.name, terminal, Date.now(), { url: http?.url, link }))
    terminal.out(line)
}

/** Never resolves: an app may do its work in `onStart` for as long as the node runs. Rejects with what it throws. */
const unlessItThrows = async (onStart: LoadedApp['onStart'], node: Node): Promise<never> => {
  await onStart?.(node)
  return new Promise(() => undefined)
}

/** Whoever started this process holds its stdin; when that closes, nobody is left to stop it. */
const endOfStdin = (): Promise<string> =>
  new Promise((resolve) => {
    process.stdin.on('error', () => resolve('stdin failed'))
    process.stdin.on('end', () => resolve('end of stdin'))
    process.stdin.resume()
  })

/** A verb that has the name of one of the command's own could never be asked for. */
const assertReachable = (file: string, verbs: LoadedApp['verbs'] = []): void => {
  const hidden = verbs.find(({ description }) => isVerbName(description.name))
  if (hidden === undefined) return
  throw new CarillonError(
    'app-not-loadable',
    `${file}: its verbs "${hidden.description.name}" have the name of a verb of carillon. Give them another.`,
    { file },
  )
}

const runNode = async (loaded: LoadedApp, file: string, options: Options, terminal: Terminal): Promise<void> => {
  const { store, json, party, dev, network, listenOn, healthOn, log, stopWithStdin } = options
  const { app, onStart, ...contributed } = loaded
  assertReachable(file, contributed.verbs)
  const logger = loggerFor(options, terminal)
  const signals = new StopSignals(() =>
    terminal.err('Stopped at once. The log is intact; the next start goes on from it.'),
  )
  const before = headBefore(store)
  let fail: (error: Error) => void = () => undefined
  const failed = new Promise<Error>((resolve) => (fail = resolve))
  let hasStarted = false
  void signals.asked.then((signal) => {
    if (hasStarted) return
    // The node may be waiting for a log that is away, for as long as that takes.
    terminal.err(`${signal}: stopped before the node had started.`)
    process.exit(128 + constants.signals[signal])
  })
  const node = await startNode({
    app,
    store,
    logger,
    onFailure: (error) => fail(error),
    ...(party === undefined ? {} : { party }),
    ...(dev === undefined ? {} : { development: dev }),
    ...(network === undefined ? {} : { networkFolder: network }),
    ...(listenOn === undefined ? {} : { listenOn }),
    ...(healthOn === undefined ? {} : { healthOn }),
    ...(log === undefined ? {} : { log }),
  })
  hasStarted = true
  if (options.logFormat === 'json') logOutcomes(node, logger)
  const lines = liveLinesOf(node, terminal, json)
  let socket: ControlSocket | undefined
  let http: HttpServer | undefined
  const stop = async (): Promise<void> => {
    await http?.close()
    await socket?.close()
    await lines.end()
    await node.stop()
  }
  try {
    http = await openHttp(node, store, options, contributed, logger)
    socket = await openSocket(node, store, { ...contributed, logger, ...(http === undefined ? {} : { http }) })
    greet(node, app, options, terminal, http)
    await hearFrom(node, before + 1, lines)
    const why = await Promise.race([
      failed,
      signals.asked,
      unlessItThrows(onStart, node),
      ...(stopWithStdin === true ? [endOfStdin()] : []),
    ])
    if (typeof why !== 'string') throw why
    if (json !== true) terminal.err(`${why}: stopping …`)
  } finally {
    await stop()
  }
  if (!printJson(terminal, json, { event: 'stopped', head: node.head }))
    terminal.err(`Stopped in good order at revision ${node.head.revision}.`)
}

export const runVerb = (terminal: Terminal): Command =>
  withTlsOptions(
    verb(
      'run',
      'run a node for an app, until Ctrl-C',
      [
        'run src/app.ts',
        'run dist/app.js --store /var/lib/app --party Alice',
        'run dist/app.js --network local/Alice',
        'run src/app.ts --dev',
        'run dist/app.js --log postgres://node@db.example/app?sslmode=verify-full',
      ],
      'print one JSON document a line',
    )
      .argument('<app-module>', 'a module that exports `app`, and perhaps `onStart(node)`')
      .addOption(new Option('--party <name>', 'the party whose node this is (default: the one of the store, or Me)'))
      .addOption(networkOption("a party's folder in a network, such as local/Alice; its store is there too"))
      .addOption(
        new Option('--listen-on <host:port>', 'where to listen, when that is not the address in the network map'),
      )
      .addOption(
        new Option(
          '--health-on <host:port>',
          'where a thread answers for the health, also while code of the app loops',
        ),
      )
      .addOption(
        new Option(
          '--log <address>',
          'where the log is kept, such as postgres://user@host/database (default: in the store)',
        ).env('CARILLON_LOG'),
      )
      .addOption(
        new Option(
          '--http <host:port>',
          'where to serve the API and the dashboard (default: 127.0.0.1:7411, or a free port)',
        ).argParser(httpAddress),
      )
      .addOption(new Option('--no-http', 'serve neither'))
      .addOption(linkOption())
      .addOption(
        new Option('--log-format <format>', 'how the node writes what it has to say to stderr')
          .choices(['text', 'json'])
          .default('text'),
      )
      .addOption(
        new Option('--log-level <level>', 'the least it writes, with --log-format json')
          .choices(['debug', 'info', 'warn', 'error'])
          .default('info'),
      )
      .addOption(new Option('--stop-with-stdin').hideHelp())
      .addOption(devOption()),
  ).action(async (module: string, given: Options, asked: Command) => {
    const { network } = given
    // A store that is only named in the environment is another node's.
    const ownStore = network === undefined || asked.getOptionValueSource('store') === 'cli'
    const options = ownStore ? given : { ...given, store: network }
    // A reader that went away, such as `head`, is no reason for the node to stop.
    process.stdout.on('error', () => undefined)
    await withApp(module, (loaded, file) => runNode(loaded, file, options, terminal))
  })
