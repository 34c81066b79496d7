/**
 * The id of a session: it follows from the flow that opened it and the number of sessions that flow had opened
 * before, so a flow that is run again opens the same sessions.
 */
import * as t from 'io-ts'
import { sha256 } from '../encoding/hash.js'
import type { FlowId } from '../flow/FlowId.js'

export interface SessionIdBrand {
  readonly SessionId: unique symbol
}

const pattern = /^[0-9a-f]{32}$/

export const SessionIdC = t.brand(
  t.string,
  (text): text is t.Branded<string, SessionIdBrand> => pattern.test(text),
  'SessionId',
)
export type SessionId = t.TypeOf<typeof SessionIdC>

export const sessionIdOf = (flow: FlowId, ordinal: number): SessionId =>
  sha256(`session\n${flow}\n${ordinal}`).slice(0, 32) as SessionId

/** The flow that answers a session. */
export const responderIdOf = (session: SessionId): FlowId => sha256(`responder\n${session}`).slice(0, 32) as FlowId
