/**
 * The HTTP side of `carillon run`: the address from the command line, the local token of the store, and a usual port
 * that gives way to a free one.
 */
import { InvalidArgumentError } from 'commander'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import type { Endpoint } from '../http/Endpoint.js'
import { readLocalToken } from '../http/localToken.js'
import type { Panel } from '../http/Panel.js'
import { serveHttp, type HttpOptions, type HttpServer } from '../http/serveHttp.js'
import type { Logger } from '../node/Logger.js'
import type { Node } from '../node/Node.js'

/** Where the dashboard is unless someone else is there. */
const usualPort = 7_411

export type HttpAddress = { readonly host: string; readonly port: number }

/** `host:port`, `host`, `:port` or a port alone. */
export const httpAddress = (text: string): HttpAddress => {
  const [, host, port] = /^(\[[0-9a-f:]+\]|[^:]*?)?:?(\d{1,5})?$/i.exec(text) ?? []
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
}

export type Contributed = { readonly panels?: readonly Panel[]; readonly endpoints?: readonly Endpoint[] }

export const openHttp = async (
  node: Node,
  store: string,
  choice: HttpChoice,
  contributed: Contributed,
  logger: Logger,
): Promise<HttpServer | undefined> => {
  const { http, httpCert, httpKey, httpName = [] } = choice
  if (http === false) return undefined
  if ((httpCert === undefined) !== (httpKey === undefined))
    throw new CarillonError('usage', 'TLS needs both: --http-cert and --http-key.')
  const options: HttpOptions = {
    localToken: readLocalToken(store),
    names: httpName,
    logger,
    ...(httpCert === undefined || httpKey === undefined ? {} : { tls: { certFile: httpCert, keyFile: httpKey } }),
  }
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
