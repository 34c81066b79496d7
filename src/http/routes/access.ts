/**
 * Tokens and sessions: who asks, who may ask, and how a browser begins.
 */
import * as t from 'io-ts'
import { done, DoneC, type Done } from '../../operator/OperatorRequest.js'
import { PermissionC } from '../../operator/Permission.js'
import { TokenIdC, TokenNameC } from '../../operator/Token.js'
import { CarillonError } from '../../errors/CarillonError.js'
import { instantFromMillis, InstantC } from '../../time/Instant.js'
import { listTokens } from '../../storage/queries/readTokens.js'
import { LinkC, MeC, SessionBegunC, TokenC } from '../answers.js'
import { tokenKeeperOf } from '../HostedNode.js'
import { operatorOf } from '../Principal.js'
import { question, route, type RouteRequest } from '../Route.js'
import { bindingsFor } from '../sessionHeader.js'
import { newTokenText } from '../TokenText.js'

type Me = t.TypeOf<typeof MeC>

const SecretC = t.strict({ secret: t.string })

type VisitPart = 'authenticator' | 'newLink' | 'streams' | 'principal' | 'body' | 'request'

/** What is asked about whoever asks, which needs no node. */
type Visit<B = undefined> = Pick<RouteRequest<undefined, undefined, B>, VisitPart>

const me = (
  { principal: { name, permissions, from, expiresAtMs } }: Visit,
  nodes: readonly string[] = [],
): Promise<Me> =>
  Promise.resolve({
    name,
    permissions,
    from,
    nodes,
    ...(expiresAtMs === undefined ? {} : { expiresAt: instantFromMillis(expiresAtMs) }),
  })

const openSession = async ({
  authenticator,
  body,
  request,
}: Visit<t.TypeOf<typeof SecretC>>): Promise<t.TypeOf<typeof SessionBegunC>> => {
  const [binding] = bindingsFor(request)
  const { text, expiresAtMs } = await authenticator.openSession(body.secret, binding)
  return { session: text, expiresAt: instantFromMillis(expiresAtMs) }
}

const endSession = async ({ authenticator, streams, principal }: Visit): Promise<Done> => {
  if (principal.session !== undefined) streams.endOf({ session: principal.session })
  authenticator.endSession(principal)
  return Promise.resolve(done)
}

/** A session that begins with a link belongs to no token, so revoking one would not end it; nor may it renew itself. */
const link = ({ principal, newLink }: Visit): Promise<t.TypeOf<typeof LinkC>> =>
  principal.token === undefined && principal.session === undefined
    ? Promise.resolve({ link: newLink() })
    : Promise.reject(
        new CarillonError(
          'permission-missing',
          'Only who owns the store may make a link to the dashboard. With a token, give that to the dashboard itself.',
        ),
      )

export const accessRoutes = [
  route({
    method: 'GET',
    path: '/me',
    tag: 'access',
    verbs: ['token check'],
    summary: 'Whose token this is, and what it allows',
    permission: 'any',
    answer: MeC,
    handle: (asked) =>
      me(
        asked,
        asked.hostedNodes.map(({ name }) => name),
      ),
    standingBy: (asked) => me(asked),
  }),
  route({
    method: 'POST',
    path: '/session',
    tag: 'access',
    verbs: ['token link'],
    summary: 'Begins a session of a browser with the code of a link, or with a token',
    permission: 'none',
    body: SecretC,
    answer: SessionBegunC,
    handle: openSession,
    standingBy: openSession,
  }),
  route({
    method: 'DELETE',
    path: '/session',
    tag: 'access',
    verbs: ['token revoke'],
    summary: 'Ends the session of a browser, and its live streams',
    permission: 'any',
    answer: DoneC,
    handle: endSession,
    standingBy: endSession,
  }),
  route({
    method: 'POST',
    path: '/session/link',
    tag: 'access',
    verbs: ['token link'],
    summary: 'Makes a link that opens the dashboard with all permissions, once',
    permission: 'admin',
    answer: LinkC,
    status: 201,
    handle: link,
    standingBy: link,
  }),
  question({
    path: '/tokens',
    tag: 'access',
    verbs: ['token list'],
    summary: 'All tokens ever issued, without their secrets',
    permission: 'admin',
    answer: t.readonly(t.strict({ items: t.readonlyArray(TokenC) }), 'Tokens'),
    of: ({ hostedNodes }) => tokenKeeperOf(hostedNodes),
    read: async ({ node }) => ({ items: await node.readViews(listTokens) }),
  }),
  route({
    method: 'POST',
    path: '/tokens',
    tag: 'access',
    verbs: ['token new'],
    summary: 'Makes a token. It is in this answer and nowhere else: the node keeps only its hash',
    permission: 'admin',
    body: t.intersection([
      t.strict({ name: TokenNameC, permissions: t.readonlyArray(PermissionC) }),
      t.exact(t.partial({ expiresAt: InstantC })),
    ]),
    answer: t.readonly(t.strict({ id: TokenIdC, token: t.string }), 'NewToken'),
    status: 201,
    example: {
      body: { name: 'a dashboard on the wall', permissions: ['view'], expiresAt: '2099-01-01T00:00:00.000Z' },
    },
    handle: async ({ hostedNodes, body, principal }) => {
      const { id, text, hash } = newTokenText()
      const token = { token: id, hash, ...body }
      await tokenKeeperOf(hostedNodes).node.operate(
        { on: 'token', action: 'issue', token },
        { by: operatorOf(principal) },
      )
      return { id, token: text }
    },
  }),
  route({
    method: 'DELETE',
    path: '/tokens/{token}',
    tag: 'access',
    verbs: ['token revoke'],
    summary: 'Revokes a token, and ends the sessions that began with it',
    permission: 'admin',
    params: t.strict({ token: TokenIdC }),
    answer: DoneC,
    handle: ({ hostedNodes, params: { token }, principal }) =>
      tokenKeeperOf(hostedNodes).node.operate({ on: 'token', action: 'revoke', token }, { by: operatorOf(principal) }),
  }),
]
