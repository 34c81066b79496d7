/**
 * Everything an operator can ask, as one request. The routes that name what they act on carry the same.
 */
import * as t from 'io-ts'
import { FlowIdC } from '../../log/FlowId.js'
import {
  ActivityActionC,
  actionsOf,
  DoneC,
  DrainActionC,
  FlowActionC,
  OperatorRequestC,
  PositiveC,
  permissionFor,
} from '../../operator/OperatorRequest.js'
import { FlowConditionC, OperatedFlowsC } from '../answers.js'
import { tokenKeeperOf } from '../HostedNode.js'
import { assertMay, operatorOf, targetOf } from '../Principal.js'
import { route } from '../Route.js'

export const operateRoutes = [
  route({
    method: 'POST',
    path: '/operate/flows',
    tag: 'operate',
    verbs: actionsOf(FlowActionC).map((action) => `flow ${action}`),
    summary:
      'Does to all flows that match what an operator may do to one; without a status to those that the action is for',
    permission: 'operate',
    body: t.intersection([
      t.strict({ action: FlowActionC }),
      t.exact(t.partial({ status: FlowConditionC, name: t.string, parent: FlowIdC, withinMs: PositiveC })),
    ]),
    answer: OperatedFlowsC,
    example: { body: { action: 'cancel', name: 'orders/Fulfil' } },
    handle: ({ hosted: { node }, body: { action, withinMs, ...matching }, principal }) =>
      node.operateFlows(action, matching, {
        by: operatorOf(principal),
        ...(withinMs === undefined ? {} : { withinMs }),
      }),
  }),
  route({
    method: 'POST',
    path: '/operate',
    tag: 'operate',
    verbs: [
      ...actionsOf(FlowActionC).map((action) => `flow ${action}`),
      ...actionsOf(ActivityActionC).map((action) => `activity ${action}`),
      ...actionsOf(DrainActionC).map((action) => `drain ${action}`),
      'network accept',
      'token new',
      'token revoke',
    ],
    summary: 'Does what an operator asks, with whole ids: act on a flow or an activity, drain, issue or revoke a token',
    permission: 'operate',
    body: OperatorRequestC,
    answer: DoneC,
    example: { body: { on: 'draining', action: 'end' } },
    handle: ({ hosted, hostedNodes, body, principal }) => {
      assertMay(principal, permissionFor(body))
      const { node } = body.on === 'token' ? tokenKeeperOf(hostedNodes) : hosted
      const asked = body.on === 'signal' ? { ...body, to: targetOf(body.to, principal) } : body
      return node.operate(asked, { by: operatorOf(principal) })
    },
  }),
]
