/**
 * Signals: which there are, and sending one to a flow that runs.
 */
import * as t from 'io-ts'
import { JsonC } from '../../encoding/JsonC.js'
import { SignalTargetC } from '../../flow/decideSignal.js'
import { DoneC, SignalIdC } from '../../operator/OperatorRequest.js'
import { SignalDefinitionsC } from '../answers.js'
import { sketchOf } from '../inputSketch.js'
import { schemaOf } from '../jsonSchema.js'
import { assertMay, mayDo, operatorOf, targetOf } from '../Principal.js'
import { route } from '../Route.js'

export const signalRoutes = [
  route({
    method: 'GET',
    path: '/signals',
    tag: 'flows',
    verbs: ['flow signals'],
    summary: 'The signals of the app, with the schema of what they say and whether this token may send them',
    permission: 'view',
    answer: SignalDefinitionsC,
    handle: ({ hosted, principal }) =>
      Promise.resolve({
        items: hosted.node.app.signals.map(({ name, data }) => ({
          name,
          data: schemaOf(data),
          example: sketchOf(data),
          maySend: mayDo(principal, `signal:${name}`),
        })),
      }),
  }),
  route({
    method: 'POST',
    path: '/signals',
    tag: 'operate',
    verbs: ['flow signal'],
    summary: 'Sends a signal to a flow, by its whole id or by its client id; with an id of its own it counts once',
    permission: 'signal:{signal}',
    body: t.intersection([
      t.strict({ to: SignalTargetC, signal: t.string, data: JsonC }),
      t.exact(t.partial({ id: SignalIdC })),
    ]),
    answer: DoneC,
    handle: ({ hosted: { node }, body, principal }) => {
      assertMay(principal, `signal:${body.signal}`)
      return node.operate({ on: 'signal', ...body, to: targetOf(body.to, principal) }, { by: operatorOf(principal) })
    },
  }),
]
