/**
 * The HTTP API of the node that runs on a store. It lets itself in through the socket that only the owner of the store
 * can open, so no token has to lie about; answers are decoded with the codecs they were made with.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { decodeWith } from '../encoding/decode.js'
import { CarillonError, messageOf, reviveError } from '../errors/CarillonError.js'
import { PartyC } from '../identity/Party.js'
import { ControlClient } from '../node/ControlClient.js'
import { readStore } from '../node/readStore.js'
import { readFacts } from '../views/NodeFacts.js'
import { serverSentEvents, type ServerSentEvent } from './serverSentEvents.js'
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

const send = async (
  address: string,
  method: Method,
  headers: Readonly<Record<string, string>>,
  body?: string,
  signal?: AbortSignal,
): Promise<Response> => {
  try {
    return await fetch(address, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    })
  } catch (error) {
    // What fetch says is only that it failed; why stands behind it.
    const why = error instanceof Error && error.cause instanceof Error ? error.cause.message : messageOf(error)
    throw new CarillonError('address-unavailable', `${address} does not answer: ${why}.`, { address }, error)
  }
}

const ProblemC = t.exact(t.partial({ code: t.string, detail: t.string }))

/** A problem of the API is an error of ours again, with its code and its words. */
const errorIn = async (response: Response): Promise<CarillonError> => {
  const text = await response.text()
  const parsed = ((): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      return {}
    }
  })()
  const { code = 'request-invalid', detail = `The node answered ${response.status}.` } = ProblemC.is(parsed)
    ? parsed
    : {}
  return reviveError({ code, message: detail })
}

const ServedC = t.strict({ nodes: t.readonlyArray(t.string), party: PartyC })

export class NodeApi {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #node: string | undefined

  private constructor(url: string, headers: Readonly<Record<string, string>>, node?: string) {
    this.#url = url
    this.#headers = headers
    this.#node = node
  }

  /** Refused when no node runs on the store, or it serves no HTTP. `node` says which, when several are served. */
  static async enter(store: string, node?: string): Promise<NodeApi> {
    const client = await ControlClient.connect(store)
    if (client === undefined) throw notRunning(store)
    const link = await client.link().finally(() => client.close())
    const [url = '', secret = ''] = link.split('/#link=')
    const opened = await send(`${url}/api/v1/session`, 'POST', { origin: url }, JSON.stringify({ secret }))
    if (!opened.ok) throw await errorIn(opened)
    const headers = { cookie: opened.headers.get('set-cookie')?.split(';')[0] ?? '', origin: url }
    if (node !== undefined) return new NodeApi(url, headers, node)
    const first = new NodeApi(url, headers)
    const { nodes, party } = await first.get('/status', {}, ServedC)
    // Several nodes may be served together; the one that is meant is the one of this store.
    const { partyKey, partyName } = readStore(store, readFacts)
    if (nodes.length === 1 || party.key === partyKey) return first
    // A node usually has the name of its party, and any other only if whoever serves it has said so.
    for (const name of [...nodes].sort((a, b) => Number(b === partyName) - Number(a === partyName))) {
      const own = new NodeApi(url, headers, name)
      if ((await own.get('/status', {}, ServedC)).party.key === partyKey) return own
    }
    return first
  }

  /** With someone's token instead of one's own right of entry. */
  static async withToken(store: string, token: string): Promise<NodeApi> {
    const entered = await NodeApi.enter(store)
    return new NodeApi(entered.#url, { authorization: `Bearer ${token}` }, entered.#node)
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
    const response = await send(this.#address(path, query), method, this.#headers, sent)
    if (!response.ok) throw await errorIn(response)
    return { text: await response.text(), type: response.headers.get('content-type') ?? '' }
  }

  /** A live stream; ends when the node ends it, or when the signal says so. */
  async *follow(path: string, query: Query, signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
    const response = await send(this.#address(path, query), 'GET', this.#headers, undefined, signal)
    if (!response.ok) throw await errorIn(response)
    if (response.body === null) return
    try {
      yield* serverSentEvents(response.body)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof CarillonError) throw error
      // The connection broke, as it does when a node stops: that is the end of the stream.
    }
  }

  #address(path: string, query: Query): string {
    const address = new URL(`${this.#url}/api/v1${path.startsWith('/') ? path : `/${path}`}`)
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
