/**
 * The id of a flow: 32 hex digits. A scheduled flow's id follows from what started it, so the same start can
 * never make two flows.
 */
import * as t from 'io-ts'
import { sha256 } from '../encoding/hash.js'
import { showRef, type StateRef } from '../ledger/StateRef.js'
import type { Instant } from '../time/Instant.js'

/** The id of a flow. */
export interface FlowIdBrand {
  readonly FlowId: unique symbol
}

const pattern = /^[0-9a-f]{32}$/

/** Codec of a flow id. */
export const FlowIdC = t.brand(t.string, (text): text is t.Branded<string, FlowIdBrand> => pattern.test(text), 'FlowId')
/** The id of one flow: 32 hex digits. */
export type FlowId = t.TypeOf<typeof FlowIdC>

const shorten = (text: string): FlowId => sha256(text).slice(0, 32) as FlowId

export const flowIdOfOccurrence = (ref: StateRef, due: Instant, attempt: number): FlowId =>
  shorten(`occurrence\n${showRef(ref)}\n${due}\n${attempt}`)

/** Client ids are their caller's own: those of a token are other flows than those of the local owner, who has no name here. */
export const flowIdOfClientId = (clientId: string, caller?: string): FlowId =>
  shorten(caller === undefined ? `client\n${clientId}` : `caller\n${caller}\n${clientId}`)

/** The caller that owns the store: the program itself, the command line, and the dashboard opened by a link. */
export const localCaller = 'local'

const byClientId = new RegExp(`^(${localCaller}|[0-9a-f]{12}):(.+)$`, 'su')

/** A flow named by its caller and its client id, as in `local:order-17` or `0123456789ab:order-17`. */
export const namedByClient = (text: string): { readonly id: FlowId; readonly clientId: string } | undefined => {
  const [, caller, clientId] = byClientId.exec(text) ?? []
  if (caller === undefined || clientId === undefined) return undefined
  return { id: flowIdOfClientId(clientId, caller === localCaller ? undefined : caller), clientId }
}

/** The id of a child that its parent calls by a name. */
export const flowIdOfChild = (parent: FlowId, name: string): FlowId => shorten(`child\n${parent}\n${name}`)

/** The id of the flow that a flow continues as. */
export const flowIdOfContinuation = (from: FlowId): FlowId => shorten(`continued\n${from}`)
