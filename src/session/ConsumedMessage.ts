/**
 * What a record says of a message that the engine took for a flow: which one it was, whether it was the last, and whether
 * it is kept because the flow comes back to it, and then its bytes.
 */
import * as t from 'io-ts'
import { IntegerC } from '../encoding/IntegerC.js'
import { RoleC } from '../log/Message.js'
import { SessionIdC } from '../log/SessionId.js'

export const ConsumedMessageC = t.intersection(
  [
    t.strict({ session: SessionIdC, role: RoleC, seq: IntegerC, isLast: t.boolean }),
    t.exact(t.partial({ kept: t.literal(true), bytes: IntegerC })),
  ],
  'ConsumedMessage',
)
export type ConsumedMessage = t.TypeOf<typeof ConsumedMessageC>
