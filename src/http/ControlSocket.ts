/**
 * The API for tools on the same machine: a socket in the store folder that only the folder's owner can open, so whoever
 * opens it is an admin without a token. It costs nothing until the first request, which loads the HTTP library.
 */
import { chmodSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyServerFactoryHandler } from 'fastify'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { silentLogger, type Logger } from '../engine/Logger.js'
import { claimControlPath, pipeOf, releaseControlPath } from '../folder/controlAddress.js'
import { httpLimits } from './limits.js'
import type { Node } from '../node/Node.js'
import type { HostedNode } from './HostedNode.js'
import { buildServer } from './buildServer.js'
import type { HttpServer } from './listenHttp.js'
import { problemOf } from './problem.js'
import { apiOf, hostNode, type ServedApi, type ServedNode } from './ServedApi.js'
import { SocketGuard } from './SocketGuard.js'

/** A control socket that is open. */
export type ControlSocket = {
  readonly path: string
  /** Hangs up on everyone and removes the socket. */
  readonly close: () => Promise<void>
}

/** What is offered on a control socket beside the node itself. */
export type ControlOptions = Omit<ServedNode, 'node'> & {
  /** The server that serves the node over HTTP too: both then count together, and links lead to it. Default: none. */
  readonly http?: HttpServer
  /** Default: silent. */
  readonly logger?: Logger
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** Hangs up on a client that has too many requests under way. */
const bounded = (handle: Handle): Handle => {
  const underWay = new WeakMap<Socket, number>()
  return (request, response) => {
    const { socket } = request
    const count = (underWay.get(socket) ?? 0) + 1
    underWay.set(socket, count)
    response.once('close', () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1))
    // Answers go out in the order of the requests, so there is no way to say why.
    if (count > httpLimits.controlRequests) socket.destroy()
    else handle(request, response)
  }
}

const listen = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.once('listening', () => {
      server.off('error', reject)
      // An error in accepting a client (no file handles left, say) is seen by the client too, and does not end the node.
      server.on('error', () => undefined)
      resolve()
    })
    // The socket is made inside this call. No other user can open it even for the moment before its mode is set.
    const before = process.umask(0o177)
    try {
      server.listen(path)
    } finally {
      process.umask(before)
    }
  })

/**
 * What the socket serves: the API of the HTTP server, where this node is asked unless another is named, or one of its own.
 * The order of the nodes stays, because the first keeps the tokens for all of them.
 */
const servedOn = (node: Node, { http, logger: _logger, ...contributed }: ControlOptions): ServedApi => {
  if (http === undefined) return apiOf([{ node, ...contributed }])
  const { api } = http
  // A server may serve other nodes, or not know this one yet because it has just begun to lead.
  let own: HostedNode | undefined
  const usualNode = (): HostedNode =>
    api.hostedNodes().find((each) => each.node === node) ?? (own ??= hostNode({ node, ...contributed }))
  return {
    ...api,
    usualNode,
    hostedNodes: () => {
      const [ours, known] = [usualNode(), api.hostedNodes()]
      return known.includes(ours) ? known : [...known, ours]
    },
  }
}

const noLink = (): never => {
  throw new CarillonError('request-invalid', 'This node serves no HTTP. Start it without --no-http, or with --http.')
}

/** Builds the server behind the socket, which has no address of its own. */
const load = async (node: Node, options: ControlOptions): Promise<{ handle: Handle; close: () => Promise<void> }> => {
  const { http, logger = silentLogger } = options
  const api = servedOn(node, options)
  let handle: FastifyServerFactoryHandler | undefined
  const server = await buildServer({
    api,
    guard: new SocketGuard(api.authenticator),
    newLink: http?.newLink ?? noLink,
    logger,
    requestMs: httpLimits.httpRequestMs,
    files: new Map(),
    takeOver: (handler) => {
      handle = handler
      return createServer()
    },
  })
  await server.ready()
  return {
    handle: (request, response) => handle?.(request, response),
    close: async () => {
      if (http === undefined) api.streams.close()
      await server.close()
    },
  }
}

/** Opens the control socket of a node that runs on a store folder. */
export const openControlSocket = async (
  node: Node,
  folder: string,
  options: ControlOptions = {},
): Promise<ControlSocket> => {
  let loading: ReturnType<typeof load> | undefined
  const handle: Handle = (request, response) => {
    loading ??= load(node, options).catch((error: unknown) => {
      // The next request tries again.
      loading = undefined
      throw error
    })
    loading
      .then((loaded) => loaded.handle(request, response))
      .catch((error: unknown) => {
        options.logger?.error(`The control socket cannot answer: ${messageOf(error)}`, {})
        const problem = problemOf(error)
        if (!response.headersSent) response.writeHead(problem.status, { 'content-type': 'application/problem+json' })
        response.end(JSON.stringify(problem))
      })
  }
  const { httpRequestMs } = httpLimits
  const server = createServer({ requestTimeout: httpRequestMs, headersTimeout: httpRequestMs }, bounded(handle))
  server.maxConnections = httpLimits.controlConnections
  const path = claimControlPath(folder)
  try {
    await listen(server, path)
    // A pipe has no mode.
    if (pipeOf(folder) === undefined) chmodSync(path, 0o600)
  } catch (error) {
    server.close()
    releaseControlPath(folder)
    throw new CarillonError(
      'store-not-writable',
      `The control socket ${path} cannot be opened: ${messageOf(error)}.`,
      { path },
      error,
    )
  }
  return {
    path,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
      await loading?.then(
        (loaded) => loaded.close(),
        () => undefined,
      )
      releaseControlPath(folder)
    },
  }
}
