/**
 * The listener behind the HTTP API: it checks who asks before anything is read, hands each request to the node that is
 * meant, and turns errors into problems. Which nodes there are is asked anew for each request, so that a process that
 * begins to lead, or ceases to, keeps its address.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { limits } from '../limits.js'
import { silentLogger, type Logger } from '../engine/Logger.js'
import type { Standby } from '../standby/Standby.js'
import type { ClockControl } from './ClockControl.js'
import { Doorman, isLoopback } from './Doorman.js'
import type { Gate } from './Gate.js'
import type { House } from './House.js'
import { basePath, openApiOf } from './openApi.js'
import { assertMay, type Principal } from './Principal.js'
import { problemOf } from './problem.js'
import type { Route, Surroundings } from './Route.js'
import { readTls } from './readTls.js'
import { readStaticFiles, type StaticFile } from './StaticFiles.js'
import type { Streams } from './Streams.js'

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
  /** The token that allows everything. Default: a new one that nobody knows, so that only links and issued tokens work. */
  readonly localToken?: string
  /** The hands of the virtual clock that all nodes share, to be offered on the dashboard. Default: none. */
  readonly clock?: ClockControl
  /** Requests one address may send in a second, on average; twice as many at once. Default 200. */
  readonly requestsPerSecond?: number
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
  /** Hangs up on everyone. The nodes run on. */
  readonly close: () => Promise<void>
}

const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const strictHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': contentPolicy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'cache-control': 'no-store',
}

/** What an address means at a node: an app's address is answered by the app of that node alone. */
const routeAt = (house: House, route: Route, principal: Principal): Route => {
  if (!route.path.startsWith('/app/')) return route
  const own = house.endpoints.find((each) => each.route.method === route.method && each.route.path === route.path)
  if (own === undefined)
    throw new CarillonError(
      'route-unknown',
      `The app of ${house.name} has no ${route.method} ${basePath}${route.path}. Another node of this server has: name it with ?node=.`,
    )
  assertMay(principal, own.route.permission)
  return own.route
}

const houseNamed = (houses: readonly House[], request: FastifyRequest): House => {
  const { node: asked } = request.query as { readonly node?: unknown }
  const found = asked === undefined ? houses[0] : houses.find(({ name }) => name === asked)
  if (found === undefined)
    throw new CarillonError(
      'party-unknown',
      `No node of this server is called "${String(asked).slice(0, 40)}". There are: ${houses.map(({ name }) => name).join(', ')}.`,
    )
  return found
}

const tlsOf = (host: string, tls: HttpOptions['tls']): { readonly cert: Buffer; readonly key: Buffer } | null => {
  if (tls !== undefined) return readTls(tls)
  if (isLoopback(host)) return null
  throw new CarillonError(
    'tls-required',
    `${host} can be reached from other machines, so HTTP needs TLS there. Give --http-cert and --http-key, or serve on 127.0.0.1.`,
    { host },
  )
}

const sendProblem = (reply: FastifyReply, error: unknown, logger: Logger): FastifyReply => {
  const problem = problemOf(error)
  if (problem.status === 500) logger.error(`A request could not be answered: ${messageOf(error)}`, {})
  if (problem.status === 401) void reply.header('www-authenticate', 'Bearer')
  if (problem.status === 429 || problem.status === 503)
    void reply.header('retry-after', JSON.stringify(problem.details?.['retryAfterSeconds'] ?? 1))
  return reply.code(problem.status).type('application/problem+json').send(JSON.stringify(problem))
}

const sendFile = (request: FastifyRequest, reply: FastifyReply, file: StaticFile): FastifyReply => {
  void reply
    .header('etag', file.etag)
    .header('cache-control', file.lasting ? 'public, max-age=31536000, immutable' : 'no-cache')
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send()
  return reply.type(file.type).send(file.bytes)
}

/** The form of a path that Fastify knows: `{ref}` is `:ref`. */
const fastifyPath = (path: string): string => `${basePath}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`

type Parts = {
  readonly houses: () => readonly House[]
  readonly standby?: Standby
  readonly routes: readonly Route[]
  readonly doorman: Doorman
  readonly logger: Logger
  readonly requestMs: number
  readonly surroundings: Omit<Surroundings, 'house' | 'houses'>
}

const nobody: Principal = { name: 'nobody', permissions: [], from: '' }

/** Permissions that depend on what is asked for are checked by the route itself. */
const isFixed = (permission: string): boolean => !/^(none|any|panel:(view|act)|start:\{flow\})$/.test(permission)

/** Who answers: the node that is meant, or this process itself while it stands by. */
const answerTo = (route: Route, asked: Parameters<Route['performStandingBy']>[0], parts: Parts): Promise<unknown> => {
  const houses = parts.houses()
  if (houses.length === 0) return route.performStandingBy(asked)
  const house = houseNamed(houses, asked.request)
  return routeAt(house, route, asked.principal).perform({ ...asked, houses, house })
}

const register = (server: FastifyInstance, route: Route, parts: Parts): void => {
  const { doorman, surroundings, standby } = parts
  server.route({
    method: route.method,
    url: fastifyPath(route.path),
    // Whoever has not said who it is has a secret to say, and nothing else.
    ...(route.permission === 'none' ? { bodyLimit: limits.httpSecretBytes } : {}),
    // Before the body is read: whoever may not ask is not listened to.
    onRequest: async (request) => {
      if (route.permission === 'none') return
      const principal = await doorman.admit(request)
      if (isFixed(route.permission)) assertMay(principal, route.permission)
      principals.set(request, principal)
    },
    handler: async (request, reply) => {
      const principal = principals.get(request) ?? { ...nobody, from: request.ip }
      try {
        const answer = await answerTo(route, { ...surroundings, standby, principal, request, reply }, parts)
        // The route has sent, or goes on sending, its answer itself.
        if (reply.raw.headersSent || route.form === 'events') return await reply
        return await reply
          .code(route.status)
          .type(route.form === 'text' ? 'text/plain; version=0.0.4; charset=utf-8' : 'application/json; charset=utf-8')
          .send(route.form === 'text' ? answer : JSON.stringify(answer))
      } catch (error) {
        throw route.permission === 'none' ? doorman.refusalOf(request, error) : error
      }
    },
  })
}

const principals = new WeakMap<FastifyRequest, Principal>()

const build = async (tls: ReturnType<typeof tlsOf>, parts: Parts): Promise<FastifyInstance> => {
  // Loaded when it is needed: a node that serves nobody should not wait for it when it starts.
  const { default: Fastify } = await import('fastify')
  const { doorman, routes, logger } = parts
  const files = readStaticFiles()
  /** For every request, and before anything else. */
  const meet = (request: FastifyRequest, reply: FastifyReply): void => {
    void reply.headers(strictHeaders)
    if (tls !== null) void reply.header('strict-transport-security', 'max-age=31536000')
    doorman.assertWelcome(request)
  }
  const server = Fastify({
    ...(tls === null ? {} : { https: tls }),
    bodyLimit: limits.httpBodyBytes,
    requestTimeout: parts.requestMs,
    http: { connectionsCheckingInterval: Math.min(parts.requestMs, 1_000) },
    keepAliveTimeout: 5_000,
    routerOptions: { maxParamLength: 200, caseSensitive: true, ignoreTrailingSlash: false },
    exposeHeadRoutes: false,
    // A browser that keeps a live stream open must not keep the node from stopping.
    forceCloseConnections: true,
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    // What is no address reaches no route and none of its hooks, and is met by the same door all the same.
    frameworkErrors: (error, request, reply) => {
      try {
        meet(request, reply)
        void sendProblem(reply, error, logger)
      } catch (refused) {
        void sendProblem(reply, refused, logger)
      }
    },
    clientErrorHandler: (_error, socket) => {
      if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    },
  })
  server.server.maxConnections = limits.httpConnections
  server.server.headersTimeout = parts.requestMs
  // Only JSON is understood; a form of another site could send plain text.
  server.removeContentTypeParser('text/plain')
  // Many a client names the type of every body, of one that is not there too.
  const parseJson = server.getDefaultJsonParser('error', 'error')
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) =>
    body === '' ? done(null, undefined) : void parseJson(request, body, done),
  )
  server.addHook('onRequest', (request, reply, next) => {
    try {
      meet(request, reply)
      next()
    } catch (error) {
      next(error instanceof Error ? error : new Error(messageOf(error)))
    }
  })
  server.setErrorHandler((error, _request, reply) => sendProblem(reply, error, logger))
  for (const route of routes) register(server, route, parts)
  server.setNotFoundHandler(async (request, reply) => {
    const [path = ''] = request.url.slice(1).split('?')
    const file = request.method === 'GET' ? files.get(path) : undefined
    if (file !== undefined) return sendFile(request, reply, file)
    // Whoever asks at random below the API is to be known first, and counted.
    if (path.startsWith('api/')) await doorman.admit(request)
    throw new CarillonError(
      'route-unknown',
      `There is no ${request.method} /${path.slice(0, 80)}. The paths are in ${basePath}/openapi.json.`,
    )
  })
  return server
}

/** What is served: which routes there are, and who answers them. */
export type Offered = {
  readonly routes: readonly Route[]
  /** None while this process stands by. */
  readonly houses: () => readonly House[]
  readonly standby?: Standby
  readonly gate: Gate
  readonly streams: Streams
  readonly metrics: () => Promise<string>
}

/** Listens until it is closed. */
export const listenHttp = async (
  { routes, houses, standby, gate, streams, metrics }: Offered,
  options: HttpOptions = {},
): Promise<HttpServer> => {
  const { host = '127.0.0.1', port = 0, names = [], logger = silentLogger } = options
  const tls = tlsOf(host, options.tls)
  const server = await build(tls, {
    houses,
    routes,
    doorman: new Doorman(gate, { host, names, perSecond: options.requestsPerSecond ?? limits.httpRequestsPerSecond }),
    logger,
    requestMs: options.requestMs ?? limits.httpRequestMs,
    surroundings: { gate, streams, metrics, openApi: (flows) => openApiOf(routes, flows) },
    ...(standby === undefined ? {} : { standby }),
  })
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
  const url = `${tls === null ? 'http' : 'https'}://${shown}:${bound}`
  return {
    url,
    // In the fragment, which no browser sends, so it stands in no log on the way.
    newLink: () => `${url}/#link=${gate.newCode()}`,
    close: async () => {
      streams.close()
      await server.close()
    },
  }
}
