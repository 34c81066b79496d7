/**
 * The node's API as the page uses it. The session travels in a cookie that no script can read; an error becomes a
 * {@link Refused} with the node's own words.
 */
import type { OperatorRequest } from '../http/answers.js'

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

const answerOf = async (response: Response): Promise<unknown> => {
  const body: unknown = await response.json().catch(() => ({}))
  if (response.ok) return body
  const { code = 'unknown', detail = response.statusText } = body as { code?: string; detail?: string }
  throw new Refused(response.status, code, detail)
}

const send = async (method: string, path: string, query: Query, body?: unknown): Promise<unknown> => {
  let response: Response
  try {
    response = await fetch(addressOf(path, query), {
      method,
      credentials: 'same-origin',
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
  } catch {
    throw new Refused(
      0,
      'unreachable',
      'The node does not answer. It may have stopped; this page tries again by itself.',
    )
  }
  return answerOf(response)
}

/** Asks for something. The answer's form is the node's promise, kept by its own tests. */
export const get = <A>(path: string, query: Query = {}): Promise<A> => send('GET', path, query) as Promise<A>

export const post = <A = unknown>(path: string, body?: unknown): Promise<A> =>
  send('POST', path, {}, body) as Promise<A>

export const remove = (path: string): Promise<unknown> => send('DELETE', path, {})

/** Does what an operator asks. */
export const operate = (request: OperatorRequest): Promise<unknown> => post('/operate', request)
