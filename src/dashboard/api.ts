/**
 * The node's API as the page uses it. The session travels in a cookie that no script can read; an error becomes a
 * {@link Refused} with the node's own words.
 */
import type * as answers from '../http/answers.js'
import type { Block, Field } from '../http/Panel.js'
import type { TypeOf } from 'io-ts'

export type Status = TypeOf<typeof answers.StatusC>
export type Live = TypeOf<typeof answers.LiveC>
export type AgendaEntry = TypeOf<typeof answers.AgendaEntryC>
export type Timeline = TypeOf<typeof answers.TimelineC>
export type Occurrence = TypeOf<typeof answers.OccurrenceC>
export type VaultEntry = TypeOf<typeof answers.VaultEntryC>
export type StateType = TypeOf<typeof answers.StateTypeC>
export type Why = TypeOf<typeof answers.WhyC>
export type Graph = TypeOf<typeof answers.GraphC>
export type FlowSummary = TypeOf<typeof answers.FlowSummaryC>
export type FlowDetails = TypeOf<typeof answers.FlowDetailsC>
export type FlowDefinition = TypeOf<typeof answers.FlowDefinitionC>
export type LogEntry = TypeOf<typeof answers.LogEntryC>
export type Verification = TypeOf<typeof answers.VerificationC>
export type Charts = TypeOf<typeof answers.ChartsC>
export type PartyEntry = TypeOf<typeof answers.PartyEntryC>
export type KeptCheckpoint = TypeOf<typeof answers.KeptHeadC>
export type SessionEntry = TypeOf<typeof answers.SessionEntryC>
export type Token = TypeOf<typeof answers.TokenC>
export type Me = TypeOf<typeof answers.MeC>
export type ClockState = TypeOf<typeof answers.ClockC>
export type Ref = AgendaEntry['ref']
export type { Block, Cell, Tone } from '../http/Panel.js'
export type PanelInfo = {
  readonly name: string
  readonly title: string
  readonly summary: string
  readonly actions: readonly PanelActionInfo[]
}
export type PanelActionInfo = {
  readonly name: string
  readonly label: string
  readonly on: 'panel' | 'row'
  readonly weight: string
  readonly may: boolean
  readonly confirm?: string
  readonly fields?: readonly Field[]
}
export type PanelContent = { readonly blocks: readonly Block[]; readonly now: string }
export type Page<A> = { readonly items: readonly A[]; readonly next?: string }

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
