/**
 * The HTTP API of the node that runs on a store. It lets itself in through the socket that only the owner of the store
 * can open, so no token has to lie about; answers are decoded with the codecs they were made with.
 */
import type { IncomingMessage } from 'node:http'
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { decodeWith } from '../encoding/decode.js'
import { CarillonError, reviveError } from '../errors/CarillonError.js'
import { PartyC } from '../identity/Party.js'
import { ControlClient } from '../node/ControlClient.js'
import { readStore } from '../folder/readStore.js'
import { readFacts } from '../storage/tables/NodeFactTable.js'
import { sendRequest, textOf } from './sendRequest.js'
import { serverSentEvents, type ServerSentEvent } from './serverSentEvents.js'
import { trustedCertificates } from './trustedCertificates.js'
import { storeHint } from './verb.js'

export type Method = 'GET' | 'POST' | 'DELETE'
export type Query = Readonly<Record<string, string | number | undefined>>
export type Answer = { readonly text: string; readonly type: string }

const notRunning = (store: string): CarillonError =>
  new CarillonError(
    'node-not-running',
    `No node runs on ${store}, and only a node that runs can answer this. Start one with: carillon run <app-module>${storeHint(store)}`,
    { store },
  )

const ProblemC = t.exact(t.partial({ code: t.string, detail: t.string }))

/** A problem of the API is an error of ours again, with its code and its words. */
const errorIn = async (answer: IncomingMessage): Promise<CarillonError> => {
  const text = await textOf(answer)
  const parsed = ((): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      return {}
    }
  })()
  const { code = 'request-invalid', detail = `The node answered ${answer.statusCode ?? 0}.` } = ProblemC.is(parsed)
    ? parsed
    : {}
  return reviveError({ code, message: detail })
}

const isOk = ({ statusCode = 0 }: IncomingMessage): boolean => statusCode >= 200 && statusCode < 300

const ServedC = t.strict({ nodes: t.readonlyArray(t.string), party: PartyC })

/** Where a node is: its store, and a file with those to trust beyond the usual ones when it serves over TLS. */
export type NodePlace = { readonly store: string; readonly ca?: string }

/** How the server is reached, and as whom. */
type Way = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly ca: readonly string[] | undefined
}

export class NodeApi {
  readonly #way: Way
  readonly #node: string | undefined

  private constructor(way: Way, node?: string) {
    this.#way = way
    this.#node = node
  }

  /** Refused when no node runs on the store, or it serves no HTTP. `node` says which, when several are served. */
  static async enter({ store, ca: caFile }: NodePlace, node?: string): Promise<NodeApi> {
    const ca = trustedCertificates(caFile)
    const client = await ControlClient.connect(store)
    if (client === undefined) throw notRunning(store)
    const link = await client.link().finally(() => client.close())
    const [url = '', secret = ''] = link.split('/#link=')
    const body = JSON.stringify({ secret })
    const opened = await sendRequest(`${url}/api/v1/session`, { method: 'POST', headers: { origin: url }, body, ca })
    if (!isOk(opened)) throw await errorIn(opened)
    await textOf(opened)
    const cookie = opened.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    const way = { url, headers: { cookie, origin: url }, ca }
    if (node !== undefined) return new NodeApi(way, node)
    const first = new NodeApi(way)
    const { nodes, party } = await first.get('/status', {}, ServedC)
    // Several nodes may be served together; the one that is meant is the one of this store.
    const { partyKey, partyName } = readStore(store, readFacts)
    if (nodes.length === 1 || party.key === partyKey) return first
    // A node usually has the name of its party, and any other only if whoever serves it has said so.
    for (const name of [...nodes].sort((a, b) => Number(b === partyName) - Number(a === partyName))) {
      const own = new NodeApi(way, name)
      if ((await own.get('/status', {}, ServedC)).party.key === partyKey) return own
    }
    return first
  }

  /** With someone's token instead of one's own right of entry. */
  static async withToken(place: NodePlace, token: string): Promise<NodeApi> {
    const entered = await NodeApi.enter(place)
    return new NodeApi({ ...entered.#way, headers: { authorization: `Bearer ${token}` } }, entered.#node)
  }

  async get<A>(path: string, query: Query, codec: t.Type<A, unknown>): Promise<A> {
    return this.#decode(path, await this.ask('GET', path, { query }), codec)
  }

  async post<A>(path: string, body: unknown, codec: t.Type<A, unknown>): Promise<A> {
    return this.#decode(path, await this.ask('POST', path, { body: JSON.stringify(body) }), codec)
  }

  /** The answer as it came. */
  async ask(
    method: Method,
    path: string,
    { query = {}, body }: { readonly query?: Query; readonly body?: string } = {},
  ): Promise<Answer> {
    const sent = body ?? (method === 'POST' ? '{}' : undefined)
    const answer = await sendRequest(this.#address(path, query), { ...this.#way, method, body: sent })
    if (!isOk(answer)) throw await errorIn(answer)
    return { text: await textOf(answer), type: answer.headers['content-type'] ?? '' }
  }

  /** A live stream; ends when the node ends it, or when the signal says so. */
  async *follow(path: string, query: Query, signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
    const answer = await sendRequest(this.#address(path, query), { ...this.#way, method: 'GET', signal })
    if (!isOk(answer)) throw await errorIn(answer)
    try {
      yield* serverSentEvents(answer)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof CarillonError) throw error
      // The connection broke, as it does when a node stops: that is the end of the stream.
    }
  }

  #address(path: string, query: Query): string {
    const address = new URL(`${this.#way.url}/api/v1${path.startsWith('/') ? path : `/${path}`}`)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) address.searchParams.set(name, String(value))
    if (this.#node !== undefined) address.searchParams.set('node', this.#node)
    return address.href
  }

  #decode<A>(path: string, { text }: Answer, codec: t.Type<A, unknown>): A {
    const decoded = decodeWith(codec, JSON.parse(text))
    if (isLeft(decoded))
      throw new CarillonError(
        'request-invalid',
        `The node's answer to ${path} does not fit: ${decoded.left.slice(0, 3).join('; ')}. It may run another version of Carillon.`,
      )
    return decoded.right
  }
}
