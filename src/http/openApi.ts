/**
 * The OpenAPI document of the API, made from the routes: what it says is what the node decodes and what it needs.
 */
import { isRight } from 'fp-ts/lib/Either.js'
import type { App } from '../app/App.js'
import { decodeWith } from '../encoding/decode.js'
import { sketchOf } from './inputSketch.js'
import { schemaOf, type Schema } from './jsonSchema.js'
import { packageVersion } from './packageVersion.js'
import { ProblemC } from './problem.js'
import type { Route, RouteExample } from './Route.js'
import { sessionHeader } from './sessionHeader.js'

/** Examples of a path or a query are written as they are sent; a number among them is shown as the number it is. */
const exampleAs = ({ type }: Schema, text: string): string | number => (type === 'integer' ? Number(text) : text)

const parameters = (
  codec: Route['params'],
  place: 'path' | 'query',
  example: Readonly<Record<string, string>> = {},
): readonly Schema[] => {
  if (codec === undefined) return []
  const schema = schemaOf(codec)
  const required = (schema['required'] ?? []) as readonly string[]
  return Object.entries((schema['properties'] ?? {}) as Record<string, Schema>).map(([name, each]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: each,
    ...(example[name] === undefined ? {} : { example: exampleAs(each, example[name]) }),
  }))
}

const nodeParameter = {
  name: 'node',
  in: 'query',
  required: false,
  schema: { type: 'string' },
  description: 'Which node, when one server serves several. Default: the first',
}

const mediaOf = { json: 'application/json', events: 'text/event-stream', text: 'text/plain' } as const

const problem = (description: string): Schema => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
})

const operationOf = (route: Route): Schema => {
  const { method, path, tag, summary, permission, verbs, params, query, body, answer, form, status, example } = route
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z]+(\w)/g, (_, letter: string) => letter.toUpperCase()).replaceAll(/\W/g, '')}`,
    tags: [tag],
    summary,
    parameters: [
      ...parameters(params, 'path', example.params),
      ...parameters(query, 'query', example.query),
      ...(permission === 'none' ? [] : [nodeParameter]),
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: schemaOf(body),
                ...(example.body === undefined ? {} : { example: example.body }),
              },
            },
          },
        }),
    responses: {
      [String(status)]: { description: summary, content: { [mediaOf[form]]: { schema: schemaOf(answer) } } },
      ...(permission === 'none' ? {} : { '401': problem('No token, or one that is not accepted') }),
      ...(permission === 'none' || permission === 'any' ? {} : { '403': problem('The token does not allow this') }),
      '429': problem('Too many requests'),
      default: problem('Why it could not be done'),
    },
    'x-permission': permission,
    ...(verbs.length === 0 ? {} : { 'x-verbs': verbs.map((verb) => `carillon ${verb}`) }),
    security: permission === 'none' ? [] : [{ token: [] }, { session: [] }],
  }
}

/** Where all paths of the API begin. */
export const basePath = '/api/v1'

/** A start of a flow that the node will accept, made of what its app defines; none when no flow can be sketched. */
const startExampleOf = (flows: App['flows']): RouteExample => {
  const found = flows.find(
    ({ clients, schedulable, input }) => clients && !schedulable && isRight(decodeWith(input, sketchOf(input))),
  )
  return found === undefined ? {} : { body: { flow: found.name, input: sketchOf(found.input), clientId: 'an-example' } }
}

export const openApiOf = (all: readonly Route[], flows: App['flows'] = []): Schema => {
  const routes = all.map((route) =>
    route.permission === 'start:{flow}' ? { ...route, example: startExampleOf(flows) } : route,
  )
  const paths: Record<string, Record<string, Schema>> = {}
  for (const route of routes)
    paths[`${basePath}${route.path}`] = {
      ...paths[`${basePath}${route.path}`],
      [route.method.toLowerCase()]: operationOf(route),
    }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Carillon',
      version: packageVersion(),
      description:
        'A node over HTTP: its agenda, vault, flows and log, live streams of them, and everything an operator may do.',
    },
    paths,
    components: {
      schemas: { Problem: schemaOf(ProblemC) },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'header', name: sessionHeader },
      },
    },
  }
}
