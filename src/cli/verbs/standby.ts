/**
 * `carillon standby`: one of several processes of a node on a shared log. It leads when nobody else does, and takes over
 * when the leader is gone.
 */
import { Option, type Command } from 'commander'
import { messageOf } from '../../errors/CarillonError.js'
import type { HttpServer } from '../../http/listenHttp.js'
import { standbyLimits } from '../../standby/limits.js'
import { openControlSocket, type ControlSocket } from '../../http/ControlSocket.js'
import { standBy } from '../../standby/Standby.js'
import type { LoadedApp } from '../loadApp.js'
import { httpAddress, linkOption, linkToPrint, openStandbyHttp, withTlsOptions, type HttpChoice } from '../openHttp.js'
import { StopSignals } from '../StopSignals.js'
import { printable, type Terminal } from '../Terminal.js'
import { terminalLogger } from '../terminalLogger.js'
import { verb, wholeNumber, type StoreOptions } from '../verb.js'
import { withApp } from '../withApp.js'
import { printLine } from '../print.js'

type Options = StoreOptions &
  HttpChoice & {
    readonly log: string
    readonly lease: number
    readonly party?: string
    readonly network?: string
  }

const runStandby = async (loaded: LoadedApp, options: Options, terminal: Terminal): Promise<void> => {
  const { store, json, log, lease, party, network } = options
  const { app, onStart, ...contributed } = loaded
  const signals = new StopSignals(() =>
    terminal.err('Stopped at once. The log is intact; another process goes on from it.'),
  )
  const tell = (event: string, text: string, fields: object = {}): void =>
    printLine(terminal, json, { event, pid: process.pid, ...fields }, printable(text))
  let fail: (error: Error) => void = () => undefined
  const failed = new Promise<Error>((resolve) => (fail = resolve))
  let socket: ControlSocket | undefined
  let http: HttpServer | undefined
  const logger = terminalLogger(terminal)
  const standby = await standBy({
    app,
    store,
    log,
    leaseMs: lease * 1_000,
    logger,
    onFollowing: () => {
      void socket?.close()
      socket = undefined
      tell('following', `${app.name} ${app.version} stands by: the views follow the log.`)
    },
    onLeading: (node) => {
      const serve = async (): Promise<void> => {
        try {
          socket = await openControlSocket(node, store, {
            ...contributed,
            logger,
            ...(http === undefined ? {} : { http }),
          })
        } finally {
          // Whoever hears that this process leads may ask it for something at once.
          const text = `${app.name} ${app.version}, run by ${node.party.name}: this process leads.`
          tell('leading', text, { head: node.head })
        }
        await onStart?.(node)
      }
      serve().catch((error: unknown) => {
        logger.warn(messageOf(error), {})
      })
    },
    onFailure: (error) => fail(error),
    ...(party === undefined ? {} : { party }),
    ...(network === undefined ? {} : { networkFolder: network }),
  })
  const stop = async (): Promise<void> => {
    await http?.close()
    await socket?.close()
    await standby.stop()
  }
  try {
    http = await openStandbyHttp(standby, store, options, contributed, logger)
  } catch (error) {
    await stop()
    throw error
  }
  const link = linkToPrint(http, options, terminal)
  if (http !== undefined)
    tell('serving', `It serves ${http.url}: the API while it leads, its health and its metrics always.`, {
      http: http.url,
      ...(link === undefined ? {} : { dashboard: link }),
    })
  const why = await Promise.race([failed, signals.asked])
  await stop()
  if (typeof why !== 'string') throw why
  tell('stopped', `${why}: stopped in good order.`)
}

export const standbyVerb = (terminal: Terminal): Command =>
  withTlsOptions(
    verb(
      'standby',
      'run one of several processes of a node on a shared log',
      [
        'standby dist/app.js --log postgres://node@db.example/app?sslmode=verify-full --store /var/lib/app',
        'standby dist/app.js --log postgres://node@db.example/app?sslmode=verify-full --http 127.0.0.1:7411',
      ],
      'print one JSON document a line',
    )
      .argument('<app-module>', 'a module that exports `app`, and perhaps `onStart(node)`')
      .addOption(
        new Option('--log <address>', 'where the log is kept, for all processes alike')
          .env('CARILLON_LOG')
          .makeOptionMandatory(),
      )
      .addOption(
        new Option('--lease <seconds>', 'how long a leader may be silent before another process leads')
          .argParser(wholeNumber(1))
          .default(standbyLimits.leaseMs / 1_000),
      )
      .addOption(new Option('--party <name>', 'the party whose node this is (default: the one of the log, or Me)'))
      .addOption(new Option('--network <folder>', "a party's folder in a network, such as local/Alice"))
      .addOption(
        new Option(
          '--http <host:port>',
          'where to serve the API while it leads, its health and its metrics always (default: nowhere)',
        ).argParser(httpAddress),
      )
      .addOption(linkOption()),
  ).action(async (module: string, options: Options) => {
    process.stdout.on('error', () => undefined)
    await withApp(module, (loaded) => runStandby(loaded, options, terminal))
  })
