/**
 * What the API says about itself: its OpenAPI document, and the metrics of the process.
 */
import * as t from 'io-ts'
import { route, type Surroundings } from '../Route.js'

const document = ({ openApi }: Pick<Surroundings, 'openApi'>): Promise<Record<string, unknown>> =>
  Promise.resolve(openApi() as Record<string, unknown>)

export const documentRoutes = [
  route({
    method: 'GET',
    path: '/openapi.json',
    tag: 'document',
    verbs: ['openapi'],
    summary: 'This API as an OpenAPI 3.1 document',
    permission: 'view',
    answer: t.UnknownRecord,
    handle: document,
    standingBy: document,
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
