/**
 * The API as a server that has no address yet: it checks who asks before anything is read, hands each request to the
 * node that is meant, and turns errors into problems. The HTTP library is loaded here, with the first server.
 */
import type { Server } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerFactoryHandler } from 'fastify'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { flowLimits } from '../flow/limits.js'
import { httpLimits } from './limits.js'
import type { App } from '../app/App.js'
import type { Logger } from '../engine/Logger.js'
import type { HostedNode } from './HostedNode.js'
import { basePath, openApiOf } from './openApi.js'
import { assertMay, callerOf, type Principal } from './Principal.js'
import { problemOf } from './problem.js'
import { JsonAnswer } from './QuestionThread.js'
import { ReadBudget } from './ReadBudget.js'
import { UnreadAnswers } from './UnreadAnswers.js'
import type { Route } from './Route.js'
import type { ServedApi } from './ServedApi.js'
import type { StaticFile } from './StaticFiles.js'

/** What every request must pass before anything looks at it. */
export type RequestGuard = {
  /** Before anything else, and for files of the dashboard too. */
  readonly assertWelcome: (request: FastifyRequest) => void | Promise<void>
  /** Who asks; refused when nobody is known by what the request brings. */
  readonly admit: (request: FastifyRequest) => Promise<Principal>
  /** What a caller hears whose secret opens nothing. */
  readonly refusalOf: (request: FastifyRequest, error: unknown) => unknown
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
const routeAt = (hosted: HostedNode, route: Route, principal: Principal): Route => {
  if (!route.path.startsWith('/app/')) return route
  const own = hosted.endpoints.find((each) => each.route.method === route.method && each.route.path === route.path)
  if (own === undefined)
    throw new CarillonError(
      'route-unknown',
      `The app of ${hosted.name} has no ${route.method} ${basePath}${route.path}. Another node of this server has: name it with ?node=.`,
    )
  assertMay(principal, own.route.permission)
  return own.route
}

const nodeNamed = (api: ServedApi, hostedNodes: readonly HostedNode[], request: FastifyRequest): HostedNode => {
  const { node: asked } = request.query as { readonly node?: unknown }
  const found =
    asked === undefined ? (api.usualNode?.() ?? hostedNodes[0]) : hostedNodes.find(({ name }) => name === asked)
  if (found === undefined)
    throw new CarillonError(
      'party-unknown',
      `No node of this server is called "${String(asked).slice(0, 40)}". There are: ${hostedNodes.map(({ name }) => name).join(', ')}.`,
    )
  return found
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

/** How the API is served on one address. */
export type Serving = {
  readonly api: ServedApi
  readonly guard: RequestGuard
  readonly newLink: () => string
  readonly logger: Logger
  /** A request that has not come whole after so many milliseconds is dropped. */
  readonly requestMs: number
  /** How much time questions of one token may take. Default: the limit `httpReadMsPerSecond`. */
  readonly readMsPerSecond?: number | undefined
  /** The dashboard, where it is served. */
  readonly files: ReadonlyMap<string, StaticFile>
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined
  /** Takes the requests over from a server that listens already. */
  readonly takeOver?: (handler: FastifyServerFactoryHandler) => Server
}

const nobody: Principal = { name: 'nobody', permissions: [], from: '' }

/** Permissions that depend on what is asked for are checked by the route itself. */
const isFixed = (permission: string): boolean =>
  !/^(none|any|panel:(view|act)|verb|start:\{flow\}|signal:\{signal\})$/.test(permission)

/** Who answers: the node that is meant, or this process itself while it stands by. */
const answerTo = (route: Route, asked: Parameters<Route['performStandingBy']>[0], api: ServedApi): Promise<unknown> => {
  const hostedNodes = api.hostedNodes()
  if (hostedNodes.length === 0) return route.performStandingBy(asked)
  const hosted = nodeNamed(api, hostedNodes, asked.request)
  return routeAt(hosted, route, asked.principal).perform({ ...asked, hostedNodes, hosted })
}

const jsonOf = (answer: unknown): string => (answer instanceof JsonAnswer ? answer.json : JSON.stringify(answer))

/** Who has asked how much, and has read how much of the answers. */
type Usage = { readonly reads: ReadBudget; readonly unread: UnreadAnswers }

const register = (
  server: FastifyInstance,
  route: Route,
  { api, guard, newLink }: Serving,
  { reads, unread }: Usage,
): void => {
  const { authenticator, streams, metrics, standby, routes } = api
  const context = {
    authenticator,
    streams,
    metrics,
    newLink,
    reads,
    standby,
    openApi: (flows?: App['flows']) => openApiOf(routes, flows),
  }
  server.route({
    method: route.method,
    url: fastifyPath(route.path),
    // Whoever has not said who it is has a secret to say, and nothing else.
    ...(route.permission === 'none' ? { bodyLimit: httpLimits.httpSecretBytes } : {}),
    // Before the body is read: whoever may not ask is not listened to.
    onRequest: async (request) => {
      if (route.permission === 'none') return
      const principal = await guard.admit(request)
      if (isFixed(route.permission)) assertMay(principal, route.permission)
      // A question is asked about when it is its turn.
      if (route.ask === undefined) reads.assertNotUsedUp(principal)
      principals.set(request, principal)
    },
    handler: async (request, reply) => {
      const principal = principals.get(request) ?? { ...nobody, from: callerOf(request) }
      try {
        const answer = await reads.work(principal, () =>
          answerTo(route, { ...context, principal, request, reply }, api),
        )
        // The route has sent, or goes on sending, its answer itself.
        if (reply.raw.headersSent || route.form === 'events') return await reply
        const isText = route.form === 'text'
        const text = isText ? String(answer) : reads.work(principal, () => jsonOf(answer))
        unread.hold(principal, reply.raw, text.length)
        return await reply
          .code(route.status)
          .type(isText ? 'text/plain; version=0.0.4; charset=utf-8' : 'application/json; charset=utf-8')
          .send(text)
      } catch (error) {
        throw route.permission === 'none' ? guard.refusalOf(request, error) : error
      }
    },
  })
}

/** A flow may be named by its client id, behind the id of a token and a colon. */
const longestParam = flowLimits.clientIdLength + 'local or a token:'.length

const principals = new WeakMap<FastifyRequest, Principal>()

export const buildServer = async (serving: Serving): Promise<FastifyInstance> => {
  // Loaded when it is needed: a node that serves nobody should not wait for it when it starts.
  const { default: Fastify } = await import('fastify')
  const { api, guard, logger, files, tls, takeOver, requestMs } = serving
  const reads = new ReadBudget(serving.readMsPerSecond)
  const unread = new UnreadAnswers()
  /** For every request, and before anything else. */
  const prepare = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    void reply.headers(strictHeaders)
    if (tls !== undefined) void reply.header('strict-transport-security', 'max-age=31536000')
    await guard.assertWelcome(request)
  }
  const server = Fastify({
    ...(tls === undefined ? {} : { https: tls }),
    ...(takeOver === undefined ? {} : { serverFactory: takeOver }),
    bodyLimit: httpLimits.httpBodyBytes,
    requestTimeout: requestMs,
    http: { connectionsCheckingInterval: Math.min(requestMs, 1_000) },
    keepAliveTimeout: 5_000,
    routerOptions: { maxParamLength: longestParam, caseSensitive: true, ignoreTrailingSlash: false },
    exposeHeadRoutes: false,
    // A browser that keeps a live stream open must not keep the node from stopping.
    forceCloseConnections: true,
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    // A request without a valid address reaches no hook of a route, so it is checked here.
    frameworkErrors: (error, request, reply) => {
      prepare(request, reply).then(
        () => sendProblem(reply, error, logger),
        (refused: unknown) => sendProblem(reply, refused, logger),
      )
    },
    clientErrorHandler: (_error, socket) => {
      if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    },
  })
  server.server.headersTimeout = requestMs
  // Only JSON is understood; a form of another site could send plain text.
  server.removeContentTypeParser('text/plain')
  // Many a client names the type of every body, of one that is not there too.
  const parseJson = server.getDefaultJsonParser('error', 'error')
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    if (body === '') {
      done(null, undefined)
      return
    }
    let parsed: Parameters<typeof done> = [null]
    reads.work(principals.get(request) ?? nobody, () => void parseJson(request, body, (...result) => (parsed = result)))
    done(...parsed)
  })
  server.addHook('onRequest', prepare)
  server.setErrorHandler((error, _request, reply) => sendProblem(reply, error, logger))
  for (const route of api.routes) register(server, route, serving, { reads, unread })
  server.setNotFoundHandler(async (request, reply) => {
    const [path = ''] = request.url.slice(1).split('?')
    const file = request.method === 'GET' ? files.get(path) : undefined
    if (file !== undefined) return sendFile(request, reply, file)
    // Whoever asks at random below the API is to be known first, and counted.
    if (path.startsWith('api/')) await guard.admit(request)
    throw new CarillonError(
      'route-unknown',
      `There is no ${request.method} /${path.slice(0, 80)}. The paths are in ${basePath}/openapi.json.`,
    )
  })
  return server
}
