/**
 * The HTTP API and the dashboard on an address of the machine: loopback by default; anywhere else it refuses to start
 * without TLS.
 */
import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { httpLimits } from './limits.js'
import { silentLogger, type Logger } from '../engine/Logger.js'
import { ConnectionPlaces } from '../transport/ConnectionPlaces.js'
import { buildServer, type Serving } from './buildServer.js'
import type { ClockControl } from './ClockControl.js'
import { HttpGuard, isLoopback } from './HttpGuard.js'
import type { LocalToken } from './localToken.js'
import { readTls } from './readTls.js'
import type { ServedApi } from './ServedApi.js'
import { readStaticFiles } from './StaticFiles.js'

/** How nodes are served over HTTP. Everything has a default. */
export type HttpOptions = {
  /** Where to listen. Default `127.0.0.1`. */
  readonly host?: string
  /** Default: a free port. */
  readonly port?: number
  /** Certificate and key as PEM files. Needed everywhere but on loopback. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string }
  /** Other names the server is reached by, such as that of a proxy. Default: none. */
  readonly names?: readonly string[]
  /**
   * The token that allows everything. With that of `readLocalToken` sessions of the dashboard outlive a restart. Default: a
   * new one that nobody knows, so that only links and issued tokens work.
   */
  readonly localToken?: string | LocalToken
  /** The controls of the virtual clock that all nodes share, to be offered on the dashboard. Default: none. */
  readonly clock?: ClockControl
  /**
   * Requests one address may send in a second, on average; twice as many at once. Beyond that each token that is valid may send as
   * many of its own. Default 200.
   */
  readonly requestsPerSecond?: number
  /**
   * Open connections; when there are so many, the oldest that has brought no valid token goes first. One token that has more than
   * half of them loses its own oldest. Default 256.
   */
  readonly connections?: number
  /**
   * Open connections of one address; beyond that its own oldest without a valid token goes first. Default 32, and for
   * loopback as many as there are: there a proxy, the command line and the dashboard all have one address.
   */
  readonly connectionsPerAddress?: number
  /**
   * Milliseconds that the requests of one token and the answers to its questions may take in a second, on average; twenty times
   * as many at once. Default 250.
   */
  readonly readMsPerSecond?: number
  /** A request that has not come whole after so many milliseconds is dropped. Default 10,000. */
  readonly requestMs?: number
  /** Default: silent. */
  readonly logger?: Logger
}

/** A server that runs. */
export type HttpServer = {
  /** Such as `http://127.0.0.1:7411`. */
  readonly url: string
  /** A link that opens the dashboard with all permissions, once, within ten minutes. */
  readonly newLink: () => string
  /** @internal What is served. Give the server to `openControlSocket`, and the socket in the store folder serves the same. */
  readonly api: ServedApi
  /** Hangs up on everyone. The nodes run on. */
  readonly close: () => Promise<void>
}

const tlsOf = (host: string, tls: HttpOptions['tls']): Serving['tls'] => {
  if (tls !== undefined) return readTls(tls)
  if (isLoopback(host)) return undefined
  throw new CarillonError(
    'tls-required',
    `${host} can be reached from other machines, so HTTP needs TLS there. Give --http-cert and --http-key, or serve on 127.0.0.1.`,
    { host },
  )
}

/** An address of this machine that every caller on it has. */
const isOwnAddress = (address: string): boolean => /^(::ffff:)?127\.|^::1$/.test(address)

/** Listens until it is closed. */
export const listenHttp = async (api: ServedApi, options: HttpOptions = {}): Promise<HttpServer> => {
  const { host = '127.0.0.1', port = 0, names = [], logger = silentLogger } = options
  const tls = tlsOf(host, options.tls)
  let url = ''
  // In the fragment, which no browser sends, so it stands in no log on the way.
  const newLink = (): string => `${url}/#link=${api.authenticator.newCode()}`
  const perSecond = options.requestsPerSecond ?? httpLimits.httpRequestsPerSecond
  const total = options.connections ?? httpLimits.httpConnections
  const places = new ConnectionPlaces({
    total,
    perAddress: (address) =>
      options.connectionsPerAddress ?? (isOwnAddress(address) ? total : httpLimits.httpConnectionsPerAddress),
  })
  const admitted = ({ raw }: FastifyRequest, token: string | undefined): void => places.admit(raw.socket, token)
  const server = await buildServer({
    api,
    guard: new HttpGuard(api.authenticator, { host, names, perSecond, admitted }),
    newLink,
    logger,
    requestMs: options.requestMs ?? httpLimits.httpRequestMs,
    readMsPerSecond: options.readMsPerSecond,
    files: readStaticFiles(),
    tls,
  })
  server.server.on('connection', (socket: Socket) => places.enter(socket))
  try {
    await server.listen({ host, port })
  } catch (error) {
    await server.close()
    throw new CarillonError(
      'address-unavailable',
      `The HTTP API cannot listen on ${host}:${port}: ${messageOf(error)}. Choose another port with --http.`,
      { host, port },
      error,
    )
  }
  const address = server.server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  const shown =
    host === '0.0.0.0' || host === '::' ? (names[0] ?? 'localhost') : host.includes(':') ? `[${host}]` : host
  url = `${tls === undefined ? 'http' : 'https'}://${shown}:${bound}`
  return {
    url,
    newLink,
    api,
    close: async () => {
      api.streams.close()
      await server.close()
    },
  }
}
