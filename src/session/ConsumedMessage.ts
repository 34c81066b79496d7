/**
 * What a record says of a message that the engine took for a flow: which one it was, and whether it was the last.
 */
import * as t from 'io-ts'
import { IntegerC } from '../encoding/IntegerC.js'
import { RoleC } from '../log/Message.js'
import { SessionIdC } from '../log/SessionId.js'

export const ConsumedMessageC = t.strict(
  { session: SessionIdC, role: RoleC, seq: IntegerC, isLast: t.boolean },
  'ConsumedMessage',
)
export type ConsumedMessage = t.TypeOf<typeof ConsumedMessageC>
