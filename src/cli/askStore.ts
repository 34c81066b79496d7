/**
 * The questions of the API, answered from a store on which no node runs: by the same routes, without a server.
 */
import { builtInRoutes } from '../http/builtInRoutes.js'
import type { RequestQuery } from '../client/NodeConnection.js'
import { storedNode } from './storedNode.js'

/** What a path gives the places of a pattern such as `/flows/{flow}`; undefined when it does not fit. */
const paramsIn = (pattern: string, path: string): Readonly<Record<string, string>> | undefined => {
  const [places, words] = [pattern.split('/'), path.split('/')]
  if (places.length !== words.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, place] of places.entries()) {
    const word = decodeURIComponent(words[index] ?? '')
    const name = /^\{(\w+)\}$/.exec(place)?.[1]
    if (name !== undefined) params[name] = word
    else if (place !== word) return undefined
  }
  return params
}

/** How the store answers; undefined when only a node that runs could. */
export const askStore = (
  { store, network }: { readonly store: string; readonly network?: string | undefined },
  path: string,
  query: RequestQuery,
): Promise<unknown> | undefined => {
  // A path that is written out, such as /states/types, is meant before one with a place for a name.
  const route =
    builtInRoutes.find((each) => each.ask !== undefined && each.path === path) ??
    builtInRoutes.find((each) => each.ask !== undefined && paramsIn(each.path, path) !== undefined)
  const given = Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
  return route?.ask?.(storedNode(store, network), { params: paramsIn(route.path, path), query: given })
}
