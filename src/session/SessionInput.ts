/**
 * What a responder is started with: who opened which session, speaking which version of the flow.
 */
import * as t from 'io-ts'
import { IntegerC } from '../encoding/IntegerC.js'
import { PartyC } from '../identity/Party.js'
import { SessionIdC } from '../log/SessionId.js'

export const SessionInputC = t.strict({ session: SessionIdC, party: PartyC, version: IntegerC })
/** What a responder is started with. */
export type SessionInput = t.TypeOf<typeof SessionInputC>
