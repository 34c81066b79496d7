/**
 * An address of the API that an app contributes, under `/api/v1/app/`: codecs for what comes in and goes out, a
 * permission, and a function of the node. It is documented, guarded and limited like every other.
 */
import type * as t from 'io-ts'
import { PermissionC } from '../operator/Permission.js'
import { CarillonError } from '../errors/CarillonError.js'
import type { Node } from '../node/Node.js'
import { startedAs } from './Principal.js'
import { route, type Route } from './Route.js'

/** What a handler is given. */
export type EndpointAsked<Q, B> = {
  readonly node: Node
  readonly query: Q
  readonly body: B
  /** Who asks and from where, to be recorded with whatever is done. */
  readonly by: string
  /** The id of the token that asks; absent for the local owner. Give it to `node.start` with a client id of the caller. */
  readonly caller?: string
}

/** What an app developer writes. */
export type EndpointOptions<Q, B, A> = {
  readonly method: 'GET' | 'POST'
  /** Such as `tasks`, or `tasks/slots`. */
  readonly path: string
  readonly summary: string
  /** What the token must allow. Default `view` for GET and `operate` for POST. */
  readonly permission?: string
  /** The query; its values come as text. */
  readonly query?: t.Type<Q, unknown>
  readonly body?: t.Type<B, unknown>
  readonly answer: t.Type<A, unknown>
  /** A request to show in the OpenAPI document; values of the query as text. Default: none. */
  readonly example?: { readonly query?: Readonly<Record<string, string>>; readonly body?: B }
  readonly handle: (asked: EndpointAsked<Q, B>) => Promise<A>
}

/** An address of the API that an app contributes. Make one with {@link defineEndpoint}. */
export type Endpoint = {
  readonly method: 'GET' | 'POST'
  /** Behind `/api/v1/app/`. */
  readonly path: string
  /** @internal */
  readonly route: Route
}

const pathPattern = /^[a-z0-9-]+(\/[a-z0-9-]+)*$/

/** Defines an endpoint. */
export const defineEndpoint = <Q = undefined, B = undefined, A = unknown>(
  options: EndpointOptions<Q, B, A>,
): Endpoint => {
  const { method, path, summary, query, body, answer, example, handle } = options
  const permission = options.permission ?? (method === 'GET' ? 'view' : 'operate')
  if (!pathPattern.test(path) || !PermissionC.is(permission))
    throw new CarillonError(
      'definition-invalid',
      `Endpoint ${path}: a path is made of small letters, digits, hyphens and slashes, and a permission is one such as view or chores:manage.`,
      { path },
    )
  return {
    method,
    path,
    route: route<undefined, Q, B, A>({
      method,
      path: `/app/${path}`,
      tag: 'app',
      summary,
      permission,
      ...(query === undefined ? {} : { query }),
      ...(body === undefined ? {} : { body }),
      answer,
      ...(example === undefined ? {} : { example }),
      handle: ({ hosted, query: asked, body: given, principal }) =>
        handle({ node: hosted.node, query: asked, body: given, ...startedAs(principal) }),
    }),
  }
}
