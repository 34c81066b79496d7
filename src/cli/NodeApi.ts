/**
 * The API of a running node, over the socket in its store folder or over HTTP at a URL: the same requests, the same
 * answers, decoded with the codecs they were made with. An error of the node is a typed error here, too.
 */
import type { IncomingMessage } from 'node:http'
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { Json } from '../encoding/canonical.js'
import { decodeWith } from '../encoding/decode.js'
import { CarillonError, reviveError } from '../errors/CarillonError.js'
import { controlPath } from '../folder/controlAddress.js'
import { holderOf } from '../folder/folderHolder.js'
import { resultOfOutcome, type RunOutcome } from '../flow/FlowEnd.js'
import { DetailsC, FlowResultC, StartedC } from '../http/answers.js'
import { operatorHeader } from '../http/operatorHeader.js'
import type { Method } from '../http/Route.js'
import type { FlowId } from '../log/FlowId.js'
import { DoneC, type OperatorRequest } from '../operator/OperatorRequest.js'
import { isNodeAway } from './nodeAway.js'
import { operatorName } from './operatorName.js'
import { sendRequest, textOf, type Way } from './sendRequest.js'
import { serverSentEvents, type ServerSentEvent } from '../client/serverSentEvents.js'
import { trustedCertificates } from './trustedCertificates.js'
import { pauseFor } from './untilSignalled.js'
import { storeHint } from './verb.js'

export type ApiQuery = Readonly<Record<string, string | number | undefined>>
export type ApiAnswer = { readonly text: string; readonly type: string }

const notRunning = (store: string): CarillonError => {
  const holder = holderOf(store)
  return holder === undefined
    ? new CarillonError(
        'node-not-running',
        `No node runs on ${store}, and only a node that runs can answer this. Start one with: carillon run <app-module>${storeHint(store)}`,
        { store },
      )
    : new CarillonError(
        'node-not-running',
        `Process ${holder.pid} holds ${store} but does not listen to commands. It is starting or stopping, or it runs the node without "carillon run".`,
        { store, pid: holder.pid },
      )
}

const ProblemC = t.exact(t.partial({ code: t.string, detail: t.string, details: DetailsC }))

/** A problem of the API is an error of ours again, with its code, its words and its details. */
const errorIn = async (answer: IncomingMessage): Promise<CarillonError> => {
  const text = await textOf(answer)
  const parsed = ((): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      return {}
    }
  })()
  const problem = ProblemC.is(parsed) ? parsed : {}
  const { code = 'request-invalid', detail = `The node answered ${answer.statusCode ?? 0}.`, details } = problem
  return reviveError({ code, message: detail, ...(details === undefined ? {} : { details }) })
}

const isOk = ({ statusCode = 0 }: IncomingMessage): boolean => statusCode >= 200 && statusCode < 300

/** Where a node is: at a URL, or on a store; and a file with those to trust beyond the usual ones when it serves TLS. */
export type NodePlace = {
  readonly store: string
  readonly url?: string
  readonly ca?: string
  /** The party's folder in its network, for a store on which no node runs. */
  readonly network?: string
}

/** How the node is reached, and as whom. */
const wayTo = ({ store, url, ca: caFile }: NodePlace): Way => {
  const ca = trustedCertificates(caFile)
  if (url !== undefined) {
    const token = process.env['CARILLON_TOKEN']
    return { url, ca, headers: token === undefined ? {} : { authorization: `Bearer ${token}` } }
  }
  const socketPath = controlPath(store)
  if (socketPath === undefined) throw notRunning(store)
  return { socketPath, headers: { [operatorHeader]: encodeURIComponent(operatorName()) } }
}

/** How long a node may take to answer before its store is asked instead, or does without the answer. */
export const patienceMs = 3_000

/** Also a socket that only its owner may open: who may read the store is answered by the store. */
const cannotBeReached = (error: unknown): boolean =>
  isNodeAway(error) || (error instanceof CarillonError && error.code === 'store-not-writable')

export class NodeApi {
  readonly #place: NodePlace
  readonly #node: string | undefined
  readonly #token: string | undefined

  private constructor(place: NodePlace, node: string | undefined, token?: string) {
    this.#place = place
    this.#node = node
    this.#token = token
  }

  /** `node` says which, when several are served. Whether there is one shows with the first request. */
  static at(place: NodePlace, node?: string): NodeApi {
    return new NodeApi(place, node)
  }

  /** With someone's token instead of one's own right of entry. */
  withToken(token: string): NodeApi {
    return new NodeApi(this.#place, this.#node, token)
  }

  /** Asks a question. Where no node answers on the store, the store itself answers what it can. */
  async get<A>(path: string, query: ApiQuery, codec: t.Type<A, unknown>, signal?: AbortSignal): Promise<A> {
    const hangUp = new AbortController()
    signal?.addEventListener('abort', () => hangUp.abort(), { once: true })
    const asked = this.ask('GET', path, { query, signal: hangUp.signal })
    if (await this.#isAway(asked)) {
      // Loaded when it is needed: with a node, its routes are in the node.
      const { askStore } = await import('./askStore.js')
      const answer = askStore(this.#place, path, query)
      if (answer !== undefined) {
        hangUp.abort()
        return this.#decode(path, JSON.stringify(await answer), codec)
      }
    }
    return this.#decode(path, (await asked).text, codec)
  }

  async post<A>(path: string, body: unknown, codec: t.Type<A, unknown>): Promise<A> {
    return this.#decode(path, (await this.ask('POST', path, { body: JSON.stringify(body) })).text, codec)
  }

  /** Does what an operator asks; resolves once it is durable. */
  async operate(request: OperatorRequest): Promise<void> {
    await this.post('/operate', request, DoneC)
  }

  /** Starts a flow; resolves with its id once the start is durable. */
  async start(flow: string, input: Json, clientId?: string): Promise<FlowId> {
    const body = { flow, input, ...(clientId === undefined ? {} : { clientId }) }
    return (await this.post('/flows', body, StartedC)).flow
  }

  /** What a flow returns or refuses with, once it has ended; rejects with the error it ended with. */
  async outcome(flow: FlowId): Promise<RunOutcome<unknown, Json>> {
    for (;;) {
      const answer = await this.get(`/flows/${flow}/result`, {}, FlowResultC)
      if (!answer.ended) continue
      const { result = null, refusal } = answer
      return refusal === undefined ? { kind: 'returned', result } : { kind: 'refused', refusal: refusal as Json }
    }
  }

  /** As {@link outcome}; rejects with `flow-refused` when the flow has refused. */
  async result(flow: FlowId): Promise<unknown> {
    return resultOfOutcome(flow, await this.outcome(flow))
  }

  /** The answer as it came. */
  async ask(
    method: Method,
    path: string,
    {
      query = {},
      body,
      signal,
    }: { readonly query?: ApiQuery; readonly body?: string; readonly signal?: AbortSignal } = {},
  ): Promise<ApiAnswer> {
    const sent = body ?? (method === 'POST' ? '{}' : undefined)
    const answer = await this.#send(path, query, { method, body: sent, ...(signal === undefined ? {} : { signal }) })
    return { text: await textOf(answer), type: answer.headers['content-type'] ?? '' }
  }

  /** A live stream; ends when the node ends it, or when the signal says so. */
  async *follow(path: string, query: ApiQuery, signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
    const answer = await this.#send(path, query, { method: 'GET', signal })
    try {
      yield* serverSentEvents(answer)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof CarillonError) throw error
      // The connection broke, as it does when a node stops: that is the end of the stream.
    }
  }

  /** Whether the node of a store cannot be asked, or takes so long that it may hang. */
  async #isAway(asked: Promise<unknown>): Promise<boolean> {
    if (this.#place.url !== undefined) return false
    const over = new AbortController()
    const isUnreachable = asked.then(() => false, cannotBeReached)
    try {
      return await Promise.race([isUnreachable, pauseFor(patienceMs, over.signal).then(() => true)])
    } finally {
      over.abort()
    }
  }

  async #send(
    path: string,
    query: ApiQuery,
    sending: { readonly method: Method; readonly body?: string | undefined; readonly signal?: AbortSignal },
  ): Promise<IncomingMessage> {
    const way = wayTo(this.#place)
    const headers = this.#token === undefined ? way.headers : { authorization: `Bearer ${this.#token}` }
    const answer = await sendRequest({ ...way, headers }, this.#pathOf(path, query), sending)
    if (answer === undefined) throw notRunning(this.#place.store)
    if (!isOk(answer)) throw await errorIn(answer)
    return answer
  }

  #pathOf(path: string, query: ApiQuery): string {
    const address = new URL(`http://node/api/v1${path.startsWith('/') ? path : `/${path}`}`)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) address.searchParams.set(name, String(value))
    if (this.#node !== undefined) address.searchParams.set('node', this.#node)
    return `${address.pathname}${address.search}`
  }

  #decode<A>(path: string, text: string, codec: t.Type<A, unknown>): A {
    const decoded = decodeWith(codec, JSON.parse(text))
    if (isLeft(decoded))
      throw new CarillonError(
        'request-invalid',
        `The node's answer to ${path} does not fit: ${decoded.left.slice(0, 3).join('; ')}. It may run another version of Carillon.`,
      )
    return decoded.right
  }
}
