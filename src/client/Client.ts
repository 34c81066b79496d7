/**
 * A node in another process, with the methods of a node: flows are started and waited for, the vault is asked, events are
 * followed. With the app's definitions it is typed and checked; with names it takes and gives plain JSON. A request whose
 * answer was lost is sent again only where that counts once.
 */
import { left, right } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { FlowDefinition } from '../app/FlowDefinition.js'
import type { SignalDefinition } from '../app/SignalDefinition.js'
import { canonicalText, type Json } from '../encoding/canonical.js'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import type { SignalTarget } from '../flow/decideSignal.js'
import { resultOfOutcome, type RunOutcome } from '../flow/FlowEnd.js'
import { readRefusal, Refusal, type RefusalOf } from '../flow/Refusal.js'
import type { OperatorRequest, VaultEntry, Why } from '../http/answers.js'
import { decodeState } from '../ledger/decodeState.js'
import { showRef } from '../ledger/showRef.js'
import type { StateAndRef } from '../ledger/StateAndRef.js'
import type { StateDefinition } from '../ledger/StateDefinition.js'
import type { StateRef } from '../ledger/StateRef.js'
import type { FlowId } from '../log/FlowId.js'
import { subscriber, type Subscribe } from '../subscription/subscriber.js'
import type { Page, VaultQuery } from '../vault/query/VaultQuery.js'
import { encodeAs } from './encodeAs.js'
import { NodeConnection, type ApiRequest, type ConnectOptions, type StreamRequest } from './NodeConnection.js'
import { queryOf } from './queryOf.js'
import type { ServerSentEvent } from './serverSentEvents.js'
import { subscribeOver } from './subscribeOver.js'

/** Whoever no longer waits says so by the signal: the call rejects with `wait-aborted`, whose cause is the signal's reason. */
export type CallOptions = { readonly signal?: AbortSignal }

/** How a client starts a flow. */
export type ClientStartOptions = CallOptions & {
  /** With it the same request can be sent again, also by another process: it finds the flow it started. Default: a new one. */
  readonly clientId?: string
}

/** A flow that a client has started. */
export type ClientFlow<R, F = never> = {
  readonly id: string
  /** What it was started with; undefined when none was given and the client never repeats requests. */
  readonly clientId: string | undefined
  /** What the flow returns; rejects with the typed error it ended with, and with `flow-refused` when it refuses. */
  readonly result: (options?: CallOptions) => Promise<R>
  /** As `result`, with a refusal as a value. */
  readonly outcome: (options?: CallOptions) => Promise<RunOutcome<R, F>>
}

/** Random enough that no two requests have the same; `randomUUID` is there on pages that came over TLS only. */
const newId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

const unfit = (path: string): CarillonError =>
  new CarillonError(
    'request-invalid',
    `The node's answer to ${path} does not fit. It may run another version of Carillon.`,
  )

type Answer = Readonly<Record<string, unknown>>

const answerOf = (path: string, answer: unknown): Answer => {
  if (typeof answer !== 'object' || answer === null) throw unfit(path)
  return answer as Answer
}

const isEntry = (item: unknown): item is VaultEntry =>
  typeof item === 'object' &&
  item !== null &&
  'ref' in item &&
  'data' in item &&
  'version' in item &&
  typeof item.version === 'number'

const decodeEntry = <A>(definition: StateDefinition<A>, { ref, type, version, data }: VaultEntry): StateAndRef<A> => {
  const decoded = decodeState(definition, version, JSON.stringify(data))
  if (decoded._tag === 'Left') throw decoded.left
  return { ref, type, data: decoded.right }
}

/** A node in another process. Make one with {@link connect}. */
export class Client {
  /**
   * Public events from a revision on, or from the start, or from now on: each once and in order. When the connection breaks, it
   * goes on by itself where it was. Without `on` they are an async iterator; with it they are called back with.
   */
  readonly subscribe: Subscribe
  readonly #connection: NodeConnection

  constructor(url: string, token: string | undefined, options: ConnectOptions) {
    this.#connection = new NodeConnection(url, token, options)
    this.subscribe = subscriber({
      events: (asked) => subscribeOver(this.#connection, asked),
      deliver: async (asked, take) => {
        for await (const event of subscribeOver(this.#connection, asked)) await take(event)
      },
      // Whoever wants to know why it ended waits for `ended`.
      onFailure: () => undefined,
    })
  }

  /** Starts a flow. Resolves once the start is durable. */
  start<I, R, F = never>(
    flow: FlowDefinition<I, R, F>,
    input: NoInfer<I>,
    options?: ClientStartOptions,
  ): Promise<ClientFlow<R, F>>
  start(flow: string, input: Json, options?: ClientStartOptions): Promise<ClientFlow<unknown, Json>>
  async start<I>(
    flow: string | FlowDefinition<I, unknown, unknown>,
    input: I,
    options: ClientStartOptions = {},
  ): Promise<ClientFlow<unknown, unknown>> {
    const name = typeof flow === 'string' ? flow : flow.name
    const encoded = typeof flow === 'string' ? (input as Json) : encodeAs('flow-input-invalid', flow.input, name, input)
    const clientId = options.clientId ?? (this.#connection.retryForMs > 0 ? newId() : undefined)
    const answer = await this.#ask('POST', '/flows', {
      body: { flow: name, input: encoded, ...(clientId === undefined ? {} : { clientId }) },
      repeatable: clientId !== undefined,
      signal: options.signal,
    })
    const { flow: id } = answer
    if (typeof id !== 'string') throw unfit('/flows')
    const outcome = async (call?: CallOptions): Promise<RunOutcome<unknown, unknown>> => {
      const given = await this.outcomeOf(id, call)
      if (given.kind === 'returned' || typeof flow === 'string') return given
      return { ...given, refusal: readRefusal(flow.refusals, given.refusal) }
    }
    return { id, clientId, result: (call) => this.resultOf(id, call), outcome }
  }

  /** Starts a flow and waits for what it returns. */
  run<I, R, F = never>(flow: FlowDefinition<I, R, F>, input: NoInfer<I>, options?: ClientStartOptions): Promise<R>
  run(flow: string, input: Json, options?: ClientStartOptions): Promise<unknown>
  async run<I>(
    flow: FlowDefinition<I, unknown, unknown> & string,
    input: I,
    options: ClientStartOptions = {},
  ): Promise<unknown> {
    return (await this.start(flow, input, options)).result(options)
  }

  /**
   * As {@link run}, for users of fp-ts: what was refused or has failed is a value on the left, a refusal of the flow as a
   * {@link Refusal}; the task never rejects.
   */
  tryRun<I, R, F = never>(
    flow: FlowDefinition<I, R, F>,
    input: NoInfer<I>,
    options?: ClientStartOptions,
  ): TaskEither<CarillonError | RefusalOf<F>, R>
  tryRun(flow: string, input: Json, options?: ClientStartOptions): TaskEither<CarillonError | Refusal<Json>, unknown>
  tryRun<I>(
    flow: FlowDefinition<I, unknown, unknown> & string,
    input: I,
    options: ClientStartOptions = {},
  ): TaskEither<CarillonError | Refusal<unknown>, unknown> {
    return async () => {
      try {
        const given = await (await this.start(flow, input, options)).outcome(options)
        return given.kind === 'returned' ? right(given.result) : left(new Refusal<unknown>(given.refusal))
      } catch (error) {
        return left(
          error instanceof CarillonError
            ? error
            : new CarillonError('request-invalid', `The request cannot be sent: ${messageOf(error)}`, {}, error),
        )
      }
    }
  }

  /**
   * What a flow returned, waiting for its end if need be; rejects with the typed error it ended with, and with
   * `flow-refused` when it has refused.
   */
  async resultOf(flow: string, options: CallOptions = {}): Promise<unknown> {
    return resultOfOutcome(flow as FlowId, await this.outcomeOf(flow, options))
  }

  /** As {@link resultOf}, with a refusal as a value: the JSON that was recorded. */
  async outcomeOf(flow: string, options: CallOptions = {}): Promise<RunOutcome<unknown, Json>> {
    for (;;) {
      const { ended, result, refusal } = await this.#ask('GET', `/flows/${encodeURIComponent(flow)}/result`, options)
      if (ended === true)
        return refusal === undefined ? { kind: 'returned', result } : { kind: 'refused', refusal: refusal as Json }
      if (ended !== false) throw unfit('/flows/…/result')
    }
  }

  /** States of one kind, one page of them: decoded when the definition is given, as recorded when only the type is. */
  query<A>(
    definition: StateDefinition<A>,
    query?: Omit<VaultQuery, 'type'> & CallOptions,
  ): Promise<Page<StateAndRef<A>, string>>
  query(type: string, query?: Omit<VaultQuery, 'type'> & CallOptions): Promise<Page<VaultEntry, string>>
  async query<A>(
    definition: string | StateDefinition<A>,
    { signal, ...query }: Omit<VaultQuery, 'type'> & CallOptions = {},
  ): Promise<Page<VaultEntry | StateAndRef<A>, string>> {
    const type = typeof definition === 'string' ? definition : definition.type
    const { items, next } = await this.#ask('GET', '/states', { query: queryOf({ ...query, type }), signal })
    if (!Array.isArray(items) || !items.every(isEntry)) throw unfit('/states')
    return {
      items: typeof definition === 'string' ? items : items.map((entry) => decodeEntry(definition, entry)),
      next: typeof next === 'string' ? next : undefined,
    }
  }

  /** The unconsumed state of one kind that is known by a key. */
  find<A>(definition: StateDefinition<A>, key: string, options?: CallOptions): Promise<StateAndRef<A> | undefined>
  find(type: string, key: string, options?: CallOptions): Promise<VaultEntry | undefined>
  async find<A>(
    definition: StateDefinition<A> & string,
    key: string,
    options: CallOptions = {},
  ): Promise<StateAndRef<A> | VaultEntry | undefined> {
    return (await this.query(definition, { ...options, key, limit: 1 })).items[0]
  }

  /** Why a state's activity has run, has not run, or will run. */
  async why(ref: StateRef | string, options: CallOptions = {}): Promise<Why> {
    const text = typeof ref === 'string' ? ref : showRef(ref)
    return (await this.#ask('GET', `/states/${encodeURIComponent(text)}/why`, options)) as Why
  }

  /** Sends a signal to a flow, by its id or the client id with which this caller has started it. It counts once, however often it is sent. */
  signal<A>(
    to: SignalTarget | string,
    definition: SignalDefinition<A>,
    data: NoInfer<A>,
    options?: CallOptions & { readonly id?: string },
  ): Promise<void>
  signal(
    to: SignalTarget | string,
    signal: string,
    data: Json,
    options?: CallOptions & { readonly id?: string },
  ): Promise<void>
  async signal<A>(
    to: SignalTarget | string,
    definition: string | SignalDefinition<A>,
    data: A,
    { id = newId(), signal }: CallOptions & { readonly id?: string } = {},
  ): Promise<void> {
    const name = typeof definition === 'string' ? definition : definition.name
    const encoded =
      typeof definition === 'string' ? (data as Json) : encodeAs('request-invalid', definition.data, name, data)
    await this.#ask('POST', '/signals', { body: { to, signal: name, data: encoded, id }, repeatable: true, signal })
  }

  /** Does what an operator asks. It is not sent again when its answer was lost: look first whether it was done. */
  async operate(request: OperatorRequest, options: CallOptions = {}): Promise<void> {
    await this.#ask('POST', '/operate', { ...options, body: request })
  }

  /** Any request to the API of the node, such as one to an endpoint of the app; gives its answer as JSON. */
  request(method: 'GET' | 'POST' | 'DELETE', path: string, request?: ApiRequest): Promise<unknown> {
    return this.#connection.request(method, path, request)
  }

  /** As {@link request}, with the answer as it came: metrics, or an answer of the app that is no JSON. */
  send(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    request?: ApiRequest,
  ): Promise<{ readonly text: string; readonly type: string }> {
    return this.#connection.send(method, path, request)
  }

  /** Any live stream of the API, until it ends or its connection breaks. */
  listen(path: string, request?: StreamRequest): AsyncGenerator<ServerSentEvent, void, undefined> {
    return this.#connection.listen(path, request)
  }

  async #ask(
    method: string,
    path: string,
    { body, signal, ...request }: Omit<ApiRequest, 'signal'> & { readonly signal?: AbortSignal | undefined },
  ): Promise<Answer> {
    const answer = await this.#connection.request(method, path, {
      ...request,
      // What JSON cannot say faithfully is refused here, instead of being sent as something else.
      ...(body === undefined ? {} : { body: canonicalText(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
    return answerOf(path, answer)
  }
}
