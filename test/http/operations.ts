/**
 * Every operation of the API as its own OpenAPI document lists it, with a path that can be asked for.
 */
import type { Belfry } from './belfry.js'

export type Operation = {
  readonly method: string
  /** As the document has it, with `{names}`. */
  readonly template: string
  /** With something real in place of each name. */
  readonly path: string
  readonly permission: string
  readonly takesBody: boolean
  readonly example: unknown
  readonly isStream: boolean
}

type Described = {
  readonly 'x-permission': string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly example?: string | number }[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example?: unknown } } }
  readonly responses: Readonly<Record<string, { readonly content?: object }>>
}

export const operationsOf = async (belfry: Belfry): Promise<readonly Operation[]> => {
  const { body } = await belfry.ask('/api/v1/openapi.json')
  const real: Readonly<Record<string, string>> = {
    ref: belfry.ref,
    flow: belfry.flow,
    panel: 'bells',
    token: '0123456789ab',
  }
  return Object.entries(body['paths'] as Record<string, Record<string, Described>>).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, described]): Operation => {
      const exampleOf = (name: string): string =>
        String(described.parameters.find((parameter) => parameter.name === name)?.example ?? real[name] ?? 'hang')
      const query = described.parameters
        .filter((parameter) => parameter.in === 'query' && parameter.example !== undefined)
        .map(({ name, example }) => `${name}=${encodeURIComponent(example ?? '')}`)
      const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(exampleOf(name)))
      return {
        method: method.toUpperCase(),
        template,
        path: query.length === 0 ? path : `${path}?${query.join('&')}`,
        permission: described['x-permission'],
        takesBody: described.requestBody !== undefined,
        example: described.requestBody?.content['application/json'].example,
        isStream: Object.values(described.responses).some(
          ({ content }) => content !== undefined && 'text/event-stream' in content,
        ),
      }
    }),
  )
}
