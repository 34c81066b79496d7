/**
 * One thing the API can do, described once: method, path, permission, and the codecs of everything that comes in and
 * goes out. The server, the OpenAPI document and the attack tests are all made from it.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isLeft } from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { decodeWith } from '../encoding/decode.js'
import { CarillonError } from '../errors/CarillonError.js'
import type { Standby } from '../standby/Standby.js'
import type { App } from '../app/App.js'
import type { Node } from '../node/Node.js'
import type { Database } from '../storage/Database.js'
import type { Authenticator } from './Authenticator.js'
import type { HostedNode } from './HostedNode.js'
import type { Principal } from './Principal.js'
import type { ReadBudget } from './ReadBudget.js'
import type { Streams } from './Streams.js'

/** What every handler can reach beside the request's own values. */
export type RouteContext = {
  readonly hosted: HostedNode
  readonly hostedNodes: readonly HostedNode[]
  readonly authenticator: Authenticator
  readonly streams: Streams
  readonly reads: ReadBudget
  readonly metrics: () => Promise<string>
  /** A link that opens the dashboard, once. Refused where no dashboard is served. */
  readonly newLink: () => string
  readonly openApi: (flows?: App['flows']) => unknown
}

export type RouteRequest<P, Q, B> = RouteContext & {
  readonly principal: Principal
  readonly params: P
  readonly query: Q
  readonly body: B
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** What a route can reach while its process stands by: everything but a node. */
export type AskedStandingBy<P, Q, B> = Omit<RouteRequest<P, Q, B>, 'hosted' | 'hostedNodes'> & {
  readonly standby: Standby | undefined
}

export type Method = 'GET' | 'POST' | 'DELETE'

/** What a question is asked of: a node that runs, or a store on which none runs. */
export type ReadableNode = Pick<Node, 'readLog' | 'network' | 'head' | 'nowMs'> & {
  readonly readViews: <A>(read: (db: Database) => A) => Promise<A>
}

/** A question, decoded, and what it is asked of. */
export type RouteQuestion<P, Q> = { readonly node: ReadableNode; readonly params: P; readonly query: Q }

/** The path and the query of a request, as they came. */
export type GivenQuestion = { readonly params: unknown; readonly query: unknown }

/** An example of a request, shown in the OpenAPI document and sent by the tests. */
export type RouteExample = {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export type RouteOptions<P, Q, B, A> = {
  readonly method: Method
  /** As in OpenAPI: `/flows/{flow}`. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  /** What the token must allow; `none` for the route that begins a session. */
  readonly permission: string
  /** The verbs of the command line that do the same. Every route of our own has some; those of apps have none. */
  readonly verbs?: readonly string[]
  readonly params?: t.Type<P, unknown>
  readonly query?: t.Type<Q, unknown>
  readonly body?: t.Type<B, unknown>
  readonly answer: t.Type<A, unknown>
  /** How the answer is sent: as JSON, or as server-sent events of the answer's type. Default `json`. */
  readonly form?: 'json' | 'events' | 'text'
  readonly status?: number
  readonly example?: RouteExample
  /** A route that sends its answer itself gives `undefined`. */
  readonly handle: (asked: RouteRequest<P, Q, B>) => Promise<A | undefined>
  /** What a process answers that stands by. Default: that another one leads. */
  readonly standingBy?: (asked: AskedStandingBy<P, Q, B>) => Promise<A | undefined>
}

type Described = 'method' | 'path' | 'tag' | 'summary' | 'permission' | 'verbs' | 'form' | 'status' | 'example'

export type Route = Required<Pick<RouteOptions<unknown, unknown, unknown, unknown>, Described>> & {
  readonly params: t.Any | undefined
  readonly query: t.Any | undefined
  readonly body: t.Any | undefined
  readonly answer: t.Any
  readonly perform: (context: RouteContext & Request) => Promise<unknown>
  /** Answers a question without a server; undefined for a route that does more than read. */
  readonly ask: ((node: ReadableNode, given: GivenQuestion) => Promise<unknown>) | undefined
  readonly performStandingBy: (
    context: Omit<RouteContext, 'hosted' | 'hostedNodes'> & Request & { readonly standby: Standby | undefined },
  ) => Promise<unknown>
}

type Request = { readonly principal: Principal; readonly request: FastifyRequest; readonly reply: FastifyReply }

const decodeAs = <A>(what: string, codec: t.Type<A, unknown> | undefined, value: unknown): A => {
  // Without a codec nothing is taken, and the type of nothing is whatever the handler does not look at.
  if (codec === undefined) return undefined as A
  const decoded = decodeWith(codec, value)
  if (isLeft(decoded))
    throw new CarillonError('request-invalid', `The ${what} does not fit: ${decoded.left.slice(0, 5).join('; ')}.`)
  return decoded.right
}

const ownKeys = (codec: t.Any | undefined): ReadonlySet<string> => {
  const { props, type, types } = (codec ?? {}) as {
    readonly props?: object
    readonly type?: t.Any
    readonly types?: readonly t.Any[]
  }
  const inner = [...(type === undefined ? [] : [type]), ...(types ?? [])].flatMap((each) => [...ownKeys(each)])
  return new Set([...Object.keys(props ?? {}), ...inner])
}

/** A misspelt parameter would silently ask for something else. */
const refuseUnknownQuery = (codec: t.Any | undefined, query: unknown): void => {
  const known = ownKeys(codec)
  for (const name of Object.keys(query ?? {})) {
    if (name === 'node' || known.has(name)) continue
    throw new CarillonError(
      'request-invalid',
      `There is no parameter "${name.slice(0, 40)}" here. There are: ${[...known, 'node'].join(', ')}.`,
    )
  }
}

const decodeQuestion = <P, Q>(
  codecs: { readonly params?: t.Type<P, unknown>; readonly query?: t.Type<Q, unknown> },
  { params, query }: GivenQuestion,
): { readonly params: P; readonly query: Q } => {
  refuseUnknownQuery(codecs.query, query)
  return { params: decodeAs('path', codecs.params, params), query: decodeAs('query', codecs.query, query) }
}

/** Whatever needs a node is the leader's to answer. */
export const refuseStandingBy = (): Promise<never> =>
  Promise.reject(
    new CarillonError(
      'node-following',
      'This process stands by: another one leads the node. Ask that one; this one answers when it leads.',
    ),
  )

export const route = <P = undefined, Q = undefined, B = undefined, A = unknown>(
  options: RouteOptions<P, Q, B, A>,
): Route => {
  const { verbs = [], params, query, body, form = 'json', status = 200, example = {}, ...more } = options
  const { handle, standingBy = refuseStandingBy, ...rest } = more
  const decoded = (request: FastifyRequest): { readonly params: P; readonly query: Q; readonly body: B } => ({
    ...decodeQuestion(options, request),
    body: decodeAs('body', body, request.body ?? {}),
  })
  return {
    ...rest,
    verbs,
    params,
    query,
    body,
    form,
    status,
    example,
    ask: undefined,
    perform: (asked) => handle({ ...asked, ...decoded(asked.request) }),
    performStandingBy: (asked) => standingBy({ ...asked, ...decoded(asked.request) }),
  }
}

export type QuestionOptions<P, Q, A> = Omit<
  RouteOptions<P, Q, undefined, A>,
  'method' | 'body' | 'form' | 'status' | 'handle' | 'standingBy'
> & {
  readonly read: (question: RouteQuestion<P, Q>) => Promise<A>
  /** Which of several nodes of a server is asked. Default: the one that the request names. */
  readonly of?: (asked: RouteContext) => HostedNode
}

/** A route that only reads, so that the same question can be asked of a store on which no node runs. */
export const question = <P = undefined, Q = undefined, A = unknown>({
  read,
  of = ({ hosted }) => hosted,
  ...options
}: QuestionOptions<P, Q, A>): Route => {
  const ask = async (node: ReadableNode, given: GivenQuestion): Promise<A> =>
    read({ node, ...decodeQuestion(options, given) })
  return {
    ...route<P, Q, undefined, A>({ ...options, method: 'GET', handle: refuseStandingBy }),
    perform: (asked) => {
      const { params, query } = asked.request
      return asked.reads.answer(of(asked), asked.principal, { path: options.path, params, query }, ask)
    },
    ask,
  }
}
