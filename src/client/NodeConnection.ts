/**
 * Requests to a node over HTTP, and its live streams. Whatever goes wrong is a typed error. What may safely be sent again is
 * sent again while the node is away; nothing else ever is.
 */
import { pause } from '../engine/pause.js'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { errorIn, jsonIn } from './errorIn.js'
import type { Fetch, FetchAnswer, FetchRequest } from './Fetch.js'
import { isPassing, pauseMsBefore, wasRefusedUnread } from './isPassing.js'
import { serverSentEvents, type ServerSentEvent } from './serverSentEvents.js'

/** The parameters of a request; those that are undefined are left out. */
export type RequestQuery = Readonly<Record<string, string | number | boolean | undefined>>

/** How a node is reached. */
export type ConnectOptions = {
  /** What sends the requests. Give one of your own for a proxy, a socket, or certificates. Default: the global `fetch`. */
  readonly fetch?: Fetch
  /** Which node is meant, by the name of its party, where a server serves several. Default: the first. */
  readonly node?: string
  /** How long a request that may safely be repeated is repeated while the node does not answer. 0 for never. Default 30 s. */
  readonly retryForMs?: number
  /** After so long without a byte a connection counts as lost. Longer than a node waits with its answer. Default 60 s. */
  readonly silenceMs?: number
}

/** A request to the API of a node. */
export type ApiRequest = {
  readonly query?: RequestQuery
  /** Sent as JSON. */
  readonly body?: unknown
  /** Gives the request up. */
  readonly signal?: AbortSignal
  /** Whether it does no harm when the node gets it twice. Default: for a GET alone. */
  readonly repeatable?: boolean
}

/** A live stream of the API of a node. */
export type StreamRequest = {
  readonly query?: RequestQuery
  /** The id of the last event that was seen. */
  readonly lastEventId?: string
  readonly signal?: AbortSignal
  /** Called when the node has answered, before the first event. */
  readonly onBegun?: () => void
}

const defaultRetryForMs = 30_000
const defaultSilenceMs = 60_000

const never = new AbortController().signal

/** Asked anew after a wait: the compiler remembers what was true before. */
export const isGivenUp = (signal: AbortSignal): boolean => signal.aborted

const sendByFetch: Fetch = (address, request) => fetch(address, request)

/** What TLS says of a certificate that it does not trust: asking again does not help. */
const untrusted = /CERT|CRL|ERR_TLS|UNABLE_TO_VERIFY|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH|PATH_LENGTH_EXCEEDED/

const reasonOf = (error: unknown): { readonly code: string; readonly message: string } => {
  // The fetch of Node.js says that it failed, and has the reason inside; that of a browser does not tell it.
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = reason instanceof Error && 'code' in reason && typeof reason.code === 'string' ? reason.code : ''
  const message = messageOf(reason)
  return { code, message: message === '' ? code : message }
}

const unanswered = (address: string, error: unknown, isRepeatable: boolean): CarillonError => {
  if (error instanceof CarillonError) return error
  const { code, message } = reasonOf(error)
  if (untrusted.test(code))
    return new CarillonError(
      'certificate-invalid',
      `The certificate of ${address} is not trusted here: ${message}. Name the one that vouches for it, as NODE_EXTRA_CA_CERTS or in a fetch of your own.`,
      { address },
      error,
    )
  const hint = isRepeatable ? '' : ' Whether the request was recorded is not known; look before you send it again.'
  return new CarillonError('address-unavailable', `${address} does not answer: ${message}.${hint}`, { address }, error)
}

/** Whoever no longer waits is told so, as by a node of its own process. */
const assertWanted = (path: string, signal: AbortSignal): void => {
  if (signal.aborted)
    throw new CarillonError(
      'wait-aborted',
      `Waiting for the answer to ${path} was aborted by its caller. What was sent may have been done.`,
      {},
      signal.reason,
    )
}

const assertSpan = (name: string, value: number): void => {
  if (!(value >= 0))
    throw new CarillonError('request-invalid', `${name} is a number of milliseconds from 0 on, not ${String(value)}.`)
}

const assertToken = (token: string | undefined): void => {
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw new CarillonError('token-refused', 'The token holds characters that no token has. Give it as it was printed.')
}

/** The beginning of every address. An empty one means the server that a page came from. */
const baseOf = (url: string): string => {
  if (url !== '' && !/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ''))
    throw new CarillonError(
      'request-invalid',
      `"${url}" is not the address of a node. Write it as in https://node.example:7411.`,
      { address: url },
    )
  return `${url.replace(/\/+$/, '')}/api/v1`
}

/** Ends a request when nothing has come for so long, or when whoever sent it gives it up. */
class Patience {
  readonly signal: AbortSignal
  readonly #silent = new AbortController()
  readonly #silenceMs: number
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(silenceMs: number, given: AbortSignal) {
    this.#silenceMs = silenceMs
    this.signal = AbortSignal.any([given, this.#silent.signal])
    this.heard()
  }

  /** Something has come, so the time begins anew. */
  heard(): void {
    this.end()
    // A timer cannot be set for longer than this; it fires at once instead.
    if (this.#silenceMs > 2_147_483_647) return
    const over = (): void => this.#silent.abort(new Error(`nothing has come for ${this.#silenceMs} ms`))
    this.#timer = setTimeout(over, this.#silenceMs)
  }

  end(): void {
    clearTimeout(this.#timer)
  }

  /** Hangs up. */
  hangUp(): void {
    this.end()
    this.#silent.abort()
  }
}

async function* chunksOf({ body }: FetchAnswer, patience: Patience): AsyncGenerator<Uint8Array> {
  if (body === null) return
  const reader = body.getReader()
  for (;;) {
    patience.heard()
    const { done, value } = await reader.read()
    // However long the reader takes with what has come, the node is not silent.
    patience.end()
    if (done) return
    if (value !== undefined) yield value
  }
}

export class NodeConnection {
  /** How long a request is repeated while the node does not answer. */
  readonly retryForMs: number
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #fetch: Fetch
  readonly #node: string | undefined
  readonly #silenceMs: number

  constructor(url: string, token: string | undefined, options: ConnectOptions) {
    const { retryForMs = defaultRetryForMs, silenceMs = defaultSilenceMs } = options
    assertSpan('retryForMs', retryForMs)
    assertSpan('silenceMs', silenceMs)
    assertToken(token)
    this.#base = baseOf(url)
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    this.#fetch = options.fetch ?? sendByFetch
    this.#node = options.node
    this.retryForMs = retryForMs
    this.#silenceMs = silenceMs
  }

  /** Where a path of the API is. */
  addressOf(path: string, query: RequestQuery = {}): string {
    const asked: RequestQuery = this.#node === undefined ? query : { ...query, node: this.#node }
    const given = Object.entries(asked).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as const],
    )
    const [, beginning = '', written = ''] = /^([^?]*)\??(.*)$/s.exec(path) ?? []
    const text = [written, new URLSearchParams(Object.fromEntries(given)).toString()]
      .filter((part) => part !== '')
      .join('&')
    return `${this.#base}${beginning.startsWith('/') ? '' : '/'}${beginning}${text === '' ? '' : `?${text}`}`
  }

  /** Sends a request; gives the answer as text, with its media type. */
  async send(
    method: string,
    path: string,
    { query, body, signal = never, repeatable = method === 'GET' }: ApiRequest = {},
  ): Promise<{ readonly text: string; readonly type: string }> {
    const address = this.addressOf(path, query)
    const request = {
      method,
      headers: { ...this.#headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }
    const once = async (): Promise<{ readonly text: string; readonly type: string }> => {
      const patience = new Patience(this.#silenceMs, signal)
      try {
        const answer = await this.#open(address, { ...request, signal: patience.signal }, repeatable)
        return { text: await answer.text(), type: answer.headers.get('content-type') ?? '' }
      } catch (error) {
        assertWanted(path, signal)
        throw unanswered(address, patience.signal.aborted ? patience.signal.reason : error, repeatable)
      } finally {
        patience.end()
      }
    }
    return this.#persist(
      async () => {
        assertWanted(path, signal)
        return once()
      },
      repeatable,
      signal,
    )
  }

  /** Sends a request and gives what the answer says as JSON. */
  async request(method: string, path: string, request?: ApiRequest): Promise<unknown> {
    const { text } = await this.send(method, path, request)
    const answer = jsonIn(text)
    if (answer === undefined)
      throw new CarillonError('request-invalid', `The answer to ${path} is not JSON. Is it the address of a node?`)
    return answer
  }

  /**
   * What a live stream sends, until it ends or breaks; both are the end. Whoever gives it up by the signal ends it, too. A
   * stream that does not begin is an error.
   */
  async *listen(
    path: string,
    { query, lastEventId, signal = never, onBegun }: StreamRequest = {},
  ): AsyncGenerator<ServerSentEvent, void, undefined> {
    if (signal.aborted) return
    const address = this.addressOf(path, query)
    const headers = { ...this.#headers, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) }
    const patience = new Patience(this.#silenceMs, signal)
    try {
      const answer = await this.#open(address, { method: 'GET', headers, signal: patience.signal }, true)
      onBegun?.()
      yield* this.#until(serverSentEvents(chunksOf(answer, patience)))
    } catch (error) {
      if (isGivenUp(signal)) return
      throw unanswered(address, patience.signal.aborted ? patience.signal.reason : error, true)
    } finally {
      patience.hangUp()
    }
  }

  /** A stream up to where its connection breaks, as it does when a node stops. */
  async *#until(events: AsyncGenerator<ServerSentEvent>): AsyncGenerator<ServerSentEvent, void, undefined> {
    for (;;) {
      let next: IteratorResult<ServerSentEvent, unknown>
      try {
        next = await events.next()
      } catch (error) {
        if (error instanceof CarillonError) throw error
        return
      }
      if (next.done === true) return
      yield next.value
    }
  }

  async #open(address: string, request: FetchRequest, isRepeatable: boolean): Promise<FetchAnswer> {
    let answer
    try {
      answer = await this.#fetch(address, request)
    } catch (error) {
      request.signal.throwIfAborted()
      throw unanswered(address, error, isRepeatable)
    }
    if (!answer.ok) throw await errorIn(answer, address)
    return answer
  }

  /** Does something again while the node is away. What may not be repeated is, when the node did not even read it. */
  async #persist<A>(once: () => Promise<A>, isRepeatable: boolean, signal: AbortSignal): Promise<A> {
    let firstFailedMs: number | undefined
    for (let failures = 1; ; failures += 1) {
      try {
        return await once()
      } catch (error) {
        if (!isPassing(error) || !(isRepeatable || wasRefusedUnread(error))) throw error
        const nowMs = performance.now()
        firstFailedMs ??= nowMs
        const pauseMs = pauseMsBefore(failures, error)
        if (nowMs + pauseMs - firstFailedMs > this.retryForMs) throw error
        await pause(pauseMs, signal)
      }
    }
  }
}
