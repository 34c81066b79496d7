/**
 * Everything an operator can ask, as one request. The routes that name what they act on carry the same.
 */
import { DoneC, OperatorRequestC, permissionFor } from '../../operator/OperatorRequest.js'
import { homeOf } from '../House.js'
import { assertMay, operatorOf } from '../Principal.js'
import { route } from '../Route.js'

export const operateRoutes = [
  route({
    method: 'POST',
    path: '/operate',
    tag: 'operate',
    verbs: ['flow kill', 'activity trigger', 'drain start', 'token new'],
    summary: 'Does what an operator asks, with whole ids: act on a flow or an activity, drain, issue or revoke a token',
    permission: 'operate',
    body: OperatorRequestC,
    answer: DoneC,
    example: { body: { on: 'draining', action: 'end' } },
    handle: ({ house, houses, body, principal }) => {
      assertMay(principal, permissionFor(body))
      const { node } = body.on === 'token' ? homeOf(houses) : house
      return node.operate(body, { by: operatorOf(principal) })
    },
  }),
]
