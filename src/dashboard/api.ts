/**
 * The node's API as the page uses it. The session is kept with the tab and sent in a header: storage belongs to one origin
 * with its port, where a cookie would go to every server of the host. An error becomes a {@link Refused} with the node's
 * own words.
 */
import type { OperatorRequest } from '../http/answers.js'
import { readEvents } from './readEvents.js'

export class Refused extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Whether nobody answered at all, which may pass by itself. */
export const isUnreachable = ({ code }: Refused): boolean => code === 'unreachable'

type Query = Readonly<Record<string, string | number | undefined>>

const nodeKey = 'carillon node'

/** Which node is looked at, when the server serves several. It is kept with the tab, so that a reload stays with it. */
let chosenNode = sessionStorage.getItem(nodeKey) ?? undefined

export const chooseNode = (name: string | undefined): void => {
  chosenNode = name
  if (name === undefined) sessionStorage.removeItem(nodeKey)
  else sessionStorage.setItem(nodeKey, name)
}

export const chosenNodeName = (): string | undefined => chosenNode

export const addressOf = (path: string, query: Query = {}): string => {
  const given = Object.entries({ ...query, node: chosenNode }).filter(
    ([, value]) => value !== undefined && value !== '',
  )
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return `/api/v1${path}${text === '' ? '' : `?${text}`}`
}

const sessionKey = 'carillon session'

let session = sessionStorage.getItem(sessionKey) ?? undefined

const keepSession = (text: string | undefined): void => {
  session = text
  if (text === undefined) sessionStorage.removeItem(sessionKey)
  else sessionStorage.setItem(sessionKey, text)
}

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

const answerOf = async (response: Response): Promise<unknown> => {
  const body: unknown = await response.json().catch(() => ({}))
  if (response.ok) return body
  const { code = 'unknown', detail = response.statusText } = body as { code?: string; detail?: string }
  throw new Refused(response.status, code, detail)
}

const isAway = (): Refused =>
  new Refused(0, 'unreachable', 'The node does not answer. It may have stopped; this page tries again by itself.')

type Sending = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> }

const request = async (address: string, { headers = {}, ...init }: Sending = {}): Promise<Response> => {
  const own = session === undefined ? {} : { 'carillon-session': session }
  try {
    return await fetch(address, { ...init, credentials: 'omit', headers: { ...headers, ...own } })
  } catch {
    throw isAway()
  }
}

const send = async (method: string, path: string, query: Query, body?: unknown): Promise<unknown> =>
  answerOf(
    await request(addressOf(path, query), {
      method,
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    }),
  )

/** Asks for something. The answer's form is the node's promise, kept by its own tests. */
export const get = <A>(path: string, query: Query = {}): Promise<A> => send('GET', path, query) as Promise<A>

export const post = <A = unknown>(path: string, body?: unknown): Promise<A> =>
  send('POST', path, {}, body) as Promise<A>

export const remove = (path: string): Promise<unknown> => send('DELETE', path, {})

/** Begins a session of this tab. */
export const signIn = async (secret: string): Promise<void> => {
  const begun = await post<{ readonly session: string }>('/session', { secret })
  keepSession(begun.session)
}

/** Ends the session for all tabs. */
export const signOut = async (): Promise<void> => {
  await remove('/session')
  keepSession(undefined)
}

/** Hears the messages of a live stream until it ends. An EventSource could not send the session. */
export const hear = async (path: string, signal: AbortSignal, tell: (data: string) => void): Promise<void> => {
  const response = await request(addressOf(path), { signal })
  if (!response.ok || response.body === null) await answerOf(response)
  else await readEvents(response.body, tell).catch(() => undefined)
}

/** Does what an operator asks. */
export const operate = (request: OperatorRequest): Promise<unknown> => post('/operate', request)
