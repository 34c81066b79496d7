/**
 * The door for tools on the same machine: a socket in the store folder that only the folder's owner can open.
 * Whatever comes in is bounded and decoded; nothing a client sends can stop the node.
 */
import { setMaxListeners } from 'node:events'
import { chmodSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { isLeft } from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { decodeWith } from '../encoding/decode.js'
import { CarillonError, messageOf, recordError } from '../errors/CarillonError.js'
import type { FlowId } from '../log/FlowId.js'
import type { StateRef } from '../ledger/StateRef.js'
import { limits } from '../limits.js'
import { instantFromMillis, latestInstantMs } from '../time/Instant.js'
import { claimControlPath, releaseControlPath } from './controlAddress.js'
import {
  lineTooLong,
  OperatorRequestC,
  RequestC,
  ResultArgsC,
  StartArgsC,
  type ActivityAction,
  type Condition,
  type FlowAction,
  type OperatorRequest,
} from '../operator/controlProtocol.js'
import { LineReader } from '../folder/LineReader.js'
import type { By, ByWithNote, Node } from './Node.js'

/** A control socket that is open. */
export type ControlSocket = {
  readonly path: string
  /** Hangs up on everyone and removes the socket. */
  readonly close: () => Promise<void>
}

/** Verbs that whoever runs the node adds: each gives its answer. */
export type ExtraVerbs = Readonly<Record<string, (args: unknown) => unknown>>

/** Clients that were told to go have this long to read why. */
const farewellMs = 1_000

/** `gone` tells when the client has hung up, and nobody waits for the answer any more. */
type Handler = (node: Node, args: unknown, gone: AbortSignal) => Promise<unknown>

const handler =
  <A>(codec: t.Decoder<unknown, A>, perform: (node: Node, args: A, gone: AbortSignal) => Promise<unknown>): Handler =>
  async (node, args, gone) => {
    const decoded = decodeWith(codec, args)
    if (isLeft(decoded))
      throw new CarillonError('request-invalid', `The arguments do not fit: ${decoded.left.join('; ')}.`)
    return perform(node, decoded.right, gone)
  }

const operateFlow = (node: Node, action: FlowAction, flow: FlowId, by: By): Promise<void> => {
  switch (action) {
    case 'retry':
      return node.retryFlow(flow, by)
    case 'kill':
      return node.killFlow(flow, by)
    case 'pause':
      return node.pauseFlow(flow, by)
    case 'resume':
      return node.resumeFlow(flow, by)
  }
}

const operateActivity = (node: Node, action: ActivityAction, ref: StateRef, by: ByWithNote): Promise<void> => {
  switch (action) {
    case 'trigger':
      return node.trigger(ref, by)
    case 'retry':
      return node.retry(ref, by)
    case 'discharge':
      return node.discharge(ref, by)
    case 'pause':
      return node.pause(ref, by)
    case 'resume':
      return node.resume(ref, by)
  }
}

const operate = (node: Node, request: OperatorRequest): Promise<void> => {
  const { by } = request
  switch (request.on) {
    case 'node':
      return request.action === 'start' ? node.drain({ by }) : node.endDraining({ by })
    case 'token':
      return request.action === 'issue'
        ? node.issueToken(request.token, { by })
        : node.revokeToken(request.token, { by })
    case 'flow':
      return operateFlow(node, request.action, request.flow, { by })
    case 'activity': {
      const { note } = request
      return operateActivity(node, request.action, request.ref, { by, ...(note === undefined ? {} : { note }) })
    }
  }
}

/** How the node is, as nobody can read it from its store. */
const conditionOf = ({ trouble, isDraining, nowMs }: Node): Condition => ({
  now: instantFromMillis(Math.min(nowMs, latestInstantMs)),
  draining: isDraining,
  ...(trouble === undefined ? {} : { trouble: { code: trouble.code, message: trouble.message } }),
})

const handlers: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  // Whoever runs an app with verbs of its own answers this in its place.
  ['verbs', () => Promise.resolve([])],
  ['condition', (node) => Promise.resolve(conditionOf(node))],
  [
    'start',
    handler(StartArgsC, async (node, { flow, input, ...options }) => ({
      flow: (await node.startByName(flow, input, options)).id,
    })),
  ],
  [
    'result',
    handler(ResultArgsC, async (node, { flow }, gone) => ({
      result: (await node.resultOf(flow, { signal: gone })) ?? null,
    })),
  ],
  [
    'operate',
    handler(OperatorRequestC, async (node, request) => {
      await operate(node, request)
      return null
    }),
  ],
])

const answerTo = async (
  node: Node,
  line: string,
  verbs: ReadonlyMap<string, Handler>,
  gone: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> => {
  let id: number | null = null
  try {
    let parsed: unknown
    try {
      parsed = JSON.parse(line)
    } catch (error) {
      throw new CarillonError('request-invalid', `The line is not JSON: ${messageOf(error)}.`)
    }
    const request = decodeWith(RequestC, parsed)
    if (isLeft(request))
      throw new CarillonError(
        'request-invalid',
        `A request is {"id": number, "verb": text, "args": object}: ${request.left.join('; ')}.`,
      )
    id = request.right.id
    const perform = verbs.get(request.right.verb)
    if (perform === undefined)
      throw new CarillonError(
        'request-invalid',
        `There is no verb ${JSON.stringify(request.right.verb.slice(0, 80))}. There are: ${[...verbs.keys()].join(', ')}.`,
      )
    return { id, ok: await perform(node, request.right.args, gone) }
  } catch (error) {
    return { id, error: recordError(error, 'invariant-broken') }
  }
}

/** Serves one client: requests run side by side, each is answered when it is done. */
const serve = (node: Node, client: Socket, verbs: ReadonlyMap<string, Handler>): void => {
  const reader = new LineReader(limits.controlLineBytes, lineTooLong)
  const hungUp = new AbortController()
  setMaxListeners(0, hungUp.signal)
  client.once('close', () => hungUp.abort())
  let underWay = 0
  let leaving = false
  const say = (answer: Readonly<Record<string, unknown>>): void => {
    if (!client.writable) return
    client.write(`${JSON.stringify(answer)}\n`)
    // A client that asks and never listens is hung up on, before its answers fill the memory.
    if (client.writableLength > limits.controlUnreadBytes) client.destroy()
  }
  const sayGoodbye = (error: unknown): void => {
    leaving = true
    // What still comes in is dropped unread, so that the client can finish writing and see the answer.
    client.removeAllListeners('data').resume()
    client.end(`${JSON.stringify({ id: null, error: recordError(error, 'invariant-broken') })}\n`)
    setTimeout(() => client.destroy(), farewellMs).unref()
  }
  const handle = (line: string): void => {
    if (underWay >= limits.controlRequests) {
      sayGoodbye(
        new CarillonError('node-busy', `More than ${limits.controlRequests} requests are under way on one connection.`),
      )
      return
    }
    underWay += 1
    void answerTo(node, line, verbs, hungUp.signal).then((answer) => {
      underWay -= 1
      say(answer)
    })
  }
  client.on('data', (chunk) => {
    try {
      for (const line of reader.feed(chunk)) if (!leaving && line.trim() !== '') handle(line)
    } catch (error) {
      sayGoodbye(error)
    }
  })
  // A client that goes away in the middle is its own affair; what it asked for is recorded or not, as the log says.
  client.on('error', () => client.destroy())
}

const listen = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.once('listening', () => {
      server.off('error', reject)
      // An error in taking on a client (no file handles left, say) is met again by the client, and is not the node's end.
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

/** Opens the control socket of a node that runs on a store folder. */
export const openControlSocket = async (node: Node, folder: string, extra: ExtraVerbs = {}): Promise<ControlSocket> => {
  const verbs = new Map([
    ...handlers,
    ...Object.entries(extra).map(([name, answer]): [string, Handler] => [
      name,
      (_node, args) => Promise.resolve().then(() => answer(args)),
    ]),
  ])
  const clients = new Set<Socket>()
  const server = createServer((client) => {
    clients.add(client)
    client.once('close', () => clients.delete(client))
    serve(node, client, verbs)
  })
  server.maxConnections = limits.controlConnections
  const path = claimControlPath(folder)
  try {
    await listen(server, path)
    chmodSync(path, 0o600)
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
      for (const client of clients) client.destroy()
      await closed
      releaseControlPath(folder)
    },
  }
}
