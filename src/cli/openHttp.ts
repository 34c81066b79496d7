/**
 * The HTTP side of `carillon run` and `carillon standby`: the address from the command line, the local token of the store,
 * and a usual port that gives way to a free one.
 */
import { InvalidArgumentError, Option, type Command } from 'commander'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { readLocalToken } from '../http/localToken.js'
import type { HttpOptions, HttpServer } from '../http/listenHttp.js'
import { serveHttp } from '../http/serveHttp.js'
import type { ServedNode } from '../http/ServedApi.js'
import { serveStandby } from '../http/serveStandby.js'
import type { Logger } from '../engine/Logger.js'
import type { Node } from '../node/Node.js'
import type { Standby } from '../standby/Standby.js'
import type { Terminal } from './Terminal.js'

/** Where the dashboard is unless someone else is there. */
const usualPort = 7_411

export type HttpAddress = { readonly host: string; readonly port: number }

/** `host:port`, `host`, `:port` or a port alone. */
export const httpAddress = (text: string): HttpAddress => {
  const isPort = /^\d{1,5}$/.test(text)
  const [, host, port] = /^(\[[0-9a-f:]+\]|[^:]+)?(?::(\d{1,5}))?$/i.exec(isPort ? `:${text}` : text) ?? []
  if (host === undefined && port === undefined)
    throw new InvalidArgumentError('Give an address, such as 127.0.0.1:7411, or a port.')
  if (Number(port ?? 0) > 65_535) throw new InvalidArgumentError('A port is at most 65535.')
  return {
    host: host === undefined || host === '' ? '127.0.0.1' : host.replaceAll(/[[\]]/g, ''),
    port: Number(port ?? 0),
  }
}

export type HttpChoice = {
  /** False turns it off. */
  readonly http?: HttpAddress | boolean
  readonly httpCert?: string
  readonly httpKey?: string
  readonly httpName?: readonly string[]
  /** Print a link to the dashboard wherever the output goes. */
  readonly link?: boolean
}

/** With what both verbs take beside the address. */
export const withTlsOptions = (command: Command): Command =>
  command
    .addOption(new Option('--http-cert <file>', 'certificate for TLS, as PEM; needed off loopback'))
    .addOption(new Option('--http-key <file>', 'key for TLS, as PEM'))
    .addOption(
      new Option('--http-name <name>', 'another name the node is reached by; may be given again')
        .argParser((name: string, others: readonly string[]) => [...others, name])
        .default([], 'none'),
    )

export const linkOption = (): Option =>
  new Option('--link', 'print a link that opens the dashboard once, also where the output is no terminal')

/** A link lets in whoever reads it first, so it is printed where a person looks, and in a journal only on request. */
export const linkToPrint = (
  http: HttpServer | undefined,
  { link = false }: HttpChoice,
  { isWatched = false }: Terminal,
): string | undefined => (link || isWatched ? http?.newLink() : undefined)

export type Contributed = Pick<ServedNode, 'panels' | 'endpoints' | 'verbs'>

const optionsOf = (store: string, { httpCert, httpKey, httpName = [] }: HttpChoice, logger: Logger): HttpOptions => {
  if ((httpCert === undefined) !== (httpKey === undefined))
    throw new CarillonError('usage', 'TLS needs both: --http-cert and --http-key.')
  return {
    localToken: readLocalToken(store),
    names: httpName,
    logger,
    ...(httpCert === undefined || httpKey === undefined ? {} : { tls: { certFile: httpCert, keyFile: httpKey } }),
  }
}

/** Only where the command line asks for it: several processes may stand by on one machine. */
export const openStandbyHttp = async (
  standby: Standby,
  store: string,
  choice: HttpChoice,
  contributed: Contributed,
  logger: Logger,
): Promise<HttpServer | undefined> =>
  typeof choice.http === 'object'
    ? serveStandby({ standby, ...contributed }, { ...optionsOf(store, choice, logger), ...choice.http })
    : undefined

export const openHttp = async (
  node: Node,
  store: string,
  choice: HttpChoice,
  contributed: Contributed,
  logger: Logger,
): Promise<HttpServer | undefined> => {
  const { http } = choice
  if (http === false) return undefined
  const options = optionsOf(store, choice, logger)
  const served = { node, ...contributed }
  if (typeof http === 'object') return serveHttp(served, { ...options, ...http })
  try {
    return await serveHttp(served, { ...options, port: usualPort })
  } catch (error) {
    if (!(error instanceof CarillonError) || error.code !== 'address-unavailable') throw error
  }
  try {
    return await serveHttp(served, options)
  } catch (error) {
    // Nobody asked for it by name: the node does its work without.
    logger.warn(`The node runs, but has no dashboard. ${messageOf(error)}`, {})
    return undefined
  }
}
