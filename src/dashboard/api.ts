/**
 * The node's API as the page uses it: the client that every program has, in the browser. The session is kept with the tab
 * and sent in a header: storage belongs to one origin with its port, where a cookie would go to every server of the host.
 */
import type { Client } from '../client/Client.js'
import { connect } from '../client/connect.js'
import type { Fetch } from '../client/Fetch.js'
import type { RequestQuery } from '../client/NodeConnection.js'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import type { OperatorRequest } from '../http/answers.js'

/** Anything thrown, as an error with a code. */
export const errorOf = (thrown: unknown): CarillonError =>
  thrown instanceof CarillonError ? thrown : new CarillonError('request-invalid', messageOf(thrown))

/** Whether nobody answered at all, which may pass by itself. */
export const isUnreachable = (error: unknown): boolean => errorOf(error).code === 'address-unavailable'

/** Whether the node does not know the session, or not any more. */
export const isSignedOut = (error: unknown): boolean => errorOf(error).code === 'token-refused'

const missing: ReadonlySet<string> = new Set(['state-unknown', 'flow-not-found', 'panel-unknown', 'route-unknown'])

/** Whether what was asked for is not there. */
export const isMissing = (error: unknown): boolean => missing.has(errorOf(error).code)

const sessionKey = 'carillon session'

let session = sessionStorage.getItem(sessionKey) ?? undefined

const keepSession = (text: string | undefined): void => {
  session = text
  if (text === undefined) sessionStorage.removeItem(sessionKey)
  else sessionStorage.setItem(sessionKey, text)
}

const send: Fetch = async (address, { headers, ...request }) => {
  const own = session === undefined ? {} : { 'carillon-session': session }
  try {
    return await fetch(address, { ...request, credentials: 'omit', headers: { ...headers, ...own } })
  } catch (error) {
    throw new CarillonError(
      'address-unavailable',
      'The node does not answer. It may have stopped; this page tries again by itself.',
      {},
      error,
    )
  }
}

/** What was asked and not answered is asked again by the view that asked. */
const clientOf = (node: string | undefined): Client =>
  connect('', undefined, { fetch: send, retryForMs: 0, ...(node === undefined ? {} : { node }) })

const nodeKey = 'carillon node'

/** Which node is looked at, when the server serves several. It is kept with the tab, so that a reload stays with it. */
let chosenNode = sessionStorage.getItem(nodeKey) ?? undefined
let client = clientOf(chosenNode)

export const chooseNode = (name: string | undefined): void => {
  chosenNode = name
  client = clientOf(name)
  if (name === undefined) sessionStorage.removeItem(nodeKey)
  else sessionStorage.setItem(nodeKey, name)
}

export const chosenNodeName = (): string | undefined => chosenNode

/** What is asked, of which node: the same text for the same question. */
export const questionOf = (path: string, query: RequestQuery): string => JSON.stringify([path, query, chosenNode])

/** Tabs of one origin talk here, so that a new tab need not sign in again. */
const tabs = new BroadcastChannel(sessionKey)
const question = '?'
const tabAnswersMs = 150

tabs.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  if (data === question && session !== undefined) tabs.postMessage(session)
})

/** Takes over the session of another tab, where this one has none and another has. */
export const shareSession = (): Promise<void> =>
  session === undefined
    ? new Promise((resolve) => {
        const over = new AbortController()
        const end = (): void => {
          over.abort()
          resolve()
        }
        const hear = ({ data }: MessageEvent<unknown>): void => {
          if (typeof data !== 'string' || data === question) return
          keepSession(data)
          end()
        }
        tabs.addEventListener('message', hear, { signal: over.signal })
        setTimeout(end, tabAnswersMs)
        tabs.postMessage(question)
      })
    : Promise.resolve()

/** Asks for something. The answer's form is the node's promise, kept by its own tests. */
export const get = <A>(path: string, query: RequestQuery = {}): Promise<A> => {
  const given = Object.entries(query).filter(([, value]) => value !== '')
  return client.request('GET', path, { query: Object.fromEntries(given) }) as Promise<A>
}

export const post = <A = unknown>(path: string, body?: unknown): Promise<A> =>
  client.request('POST', path, { body }) as Promise<A>

/** Begins a session of this tab. */
export const signIn = async (secret: string): Promise<void> => {
  const begun = await post<{ readonly session: string }>('/session', { secret })
  keepSession(begun.session)
}

/** Ends the session for all tabs. */
export const signOut = async (): Promise<void> => {
  await client.request('DELETE', '/session')
  keepSession(undefined)
}

/** Hears the messages of the node's live stream until it ends. */
export const hear = async (path: string, signal: AbortSignal, tell: (data: string) => void): Promise<void> => {
  for await (const { data } of client.listen(path, { signal })) tell(data)
}

/** Does what an operator asks. */
export const operate = (request: OperatorRequest): Promise<void> => client.operate(request)
