/**
 * The id of a session: it follows from the party and the flow that opened it and the number of sessions that flow
 * had opened before. So a flow that is run again opens the same sessions, and nobody can open one under an id that
 * another party's flow will use.
 */
import * as t from 'io-ts'
import { sha256, type Hash } from '../encoding/hash.js'
import type { FlowId } from './FlowId.js'
import type { PublicKey } from '../identity/PublicKey.js'

/** Marks text that was checked to be the id of a session. */
export interface SessionIdBrand {
  readonly SessionId: unique symbol
}

const pattern = /^[0-9a-f]{32}$/

export const SessionIdC = t.brand(
  t.string,
  (text): text is t.Branded<string, SessionIdBrand> => pattern.test(text),
  'SessionId',
)
/** The id of a session. */
export type SessionId = t.TypeOf<typeof SessionIdC>

/** What the opening party puts into the id, without giving away the id of its flow. */
export const sessionNonce = (flow: FlowId, ordinal: number): Hash => sha256(`session nonce\n${flow}\n${ordinal}`)

export const sessionIdOf = (openedBy: PublicKey, nonce: Hash): SessionId =>
  sha256(`session\n${openedBy}\n${nonce}`).slice(0, 32) as SessionId

/** The flow that answers a session. */
export const responderIdOf = (session: SessionId): FlowId => sha256(`responder\n${session}`).slice(0, 32) as FlowId
