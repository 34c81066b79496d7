/**
 * What the API says about itself: its OpenAPI document, and the metrics of the process.
 */
import * as t from 'io-ts'
import type { App } from '../../app/App.js'
import { route, type RouteContext } from '../Route.js'

const document = ({ openApi }: Pick<RouteContext, 'openApi'>, flows?: App['flows']): Promise<Record<string, unknown>> =>
  Promise.resolve(openApi(flows) as Record<string, unknown>)

export const documentRoutes = [
  route({
    method: 'GET',
    path: '/openapi.json',
    tag: 'document',
    verbs: ['openapi'],
    summary: 'This API as an OpenAPI 3.1 document',
    permission: 'view',
    answer: t.UnknownRecord,
    handle: (asked) => document(asked, asked.hosted.node.app.flows),
    standingBy: (asked) => document(asked),
  }),
  route({
    method: 'GET',
    path: '/metrics',
    tag: 'document',
    verbs: ['metrics'],
    summary: 'Metrics in the text format of Prometheus',
    permission: 'view',
    answer: t.string,
    form: 'text',
    handle: ({ metrics }) => metrics(),
    standingBy: ({ metrics }) => metrics(),
  }),
]
