/**
 * The API of a running node, over the socket in its store folder or over HTTP at a URL: the same requests, the same
 * answers, decoded with the codecs they were made with. An error of the node is a typed error here, too.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import type { Client } from '../client/Client.js'
import { connect } from '../client/connect.js'
import type { ApiRequest, RequestQuery } from '../client/NodeConnection.js'
import { decodeWith } from '../encoding/decode.js'
import { CarillonError } from '../errors/CarillonError.js'
import type { Method } from '../http/Route.js'
import { isNodeAway } from './nodeAway.js'
import { socketFetch, urlFetch } from './nodeFetch.js'
import { trustedCertificates } from './trustedCertificates.js'
import { pauseFor } from './untilSignalled.js'

/** Where a node is: at a URL, or on a store; and a file with those to trust beyond the usual ones when it serves TLS. */
export type NodePlace = {
  readonly store: string
  readonly url?: string
  readonly ca?: string
  /** The party's folder in its network, for a store on which no node runs. */
  readonly network?: string
}

/** The client of a node: over its socket, or at its URL with the token of the environment. */
const clientOf = ({ store, url, ca: file }: NodePlace, node: string | undefined, token: string | undefined): Client => {
  const ca = trustedCertificates(file)
  const own = url === undefined ? undefined : process.env['CARILLON_TOKEN']
  return connect(url ?? 'http://localhost', token ?? own, {
    fetch: url === undefined ? socketFetch(store) : urlFetch(ca),
    ...(node === undefined ? {} : { node }),
    // Whoever types a command is told at once that no node answers, and may wait as long as it works.
    retryForMs: 0,
    silenceMs: Infinity,
  })
}

/** How long a node may take to answer before its store is asked instead, or does without the answer. */
export const patienceMs = 3_000

/** Also a socket that only its owner may open: who may read the store is answered by the store. */
const cannotBeReached = (error: unknown): boolean =>
  isNodeAway(error) || (error instanceof CarillonError && error.code === 'store-not-writable')

export class NodeApi {
  /** For what has no codec here: flows, signals, requests of operators, live streams. */
  readonly client: Client
  readonly #place: NodePlace

  private constructor(place: NodePlace, client: Client) {
    this.#place = place
    this.client = client
  }

  /** `node` says which, when several are served. Whether there is one shows with the first request. */
  static at(place: NodePlace, node?: string): NodeApi {
    return new NodeApi(place, clientOf(place, node, undefined))
  }

  /** With someone's token instead of one's own right of entry. */
  static withToken(place: NodePlace, token: string): NodeApi {
    return new NodeApi(place, clientOf(place, undefined, token))
  }

  /** Asks a question. Where no node answers on the store, the store itself answers what it can. */
  async get<A>(path: string, query: RequestQuery, codec: t.Type<A, unknown>, signal?: AbortSignal): Promise<A> {
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
    return this.#decode(path, (await this.ask('POST', path, { body })).text, codec)
  }

  /** The answer as it came. */
  ask(
    method: Method,
    path: string,
    request: ApiRequest = {},
  ): Promise<{ readonly text: string; readonly type: string }> {
    return this.client.send(method, path, method === 'POST' ? { body: {}, ...request } : request)
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
