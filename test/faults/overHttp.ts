/**
 * A node as a monitoring system sees it: over HTTP, with a token.
 */
import { newTokenText } from '../../src/http/TokenText.js'
import type { Node } from '../../src/index.js'
import { serveHttp } from '../../src/entries/http.js'

type Told = { readonly status: number; readonly text: string; readonly body: unknown }

/** Serves the node until it is closed. */
export const overHttp = async (
  node: Node,
): Promise<{ get: (path: string) => Promise<Told>; close: () => Promise<void> }> => {
  const { text: token } = newTokenText()
  const server = await serveHttp({ node }, { localToken: token })
  return {
    get: async (path) => {
      const answer = await fetch(`${server.url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
      const text = await answer.text()
      return { status: answer.status, text, body: path === '/metrics' ? undefined : JSON.parse(text) }
    },
    close: () => server.close(),
  }
}
