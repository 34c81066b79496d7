/**
 * What a hostile member sends to fill another one's node: sessions with flows that answer and flows that do not exist, some of
 * them silent, and in the others more messages than their flows will ever read, in any order and again and again.
 */
import { sha256 } from '../../encoding/hash.js'
import type { PublicKey } from '../../identity/PublicKey.js'
import type { Envelope } from '../../log/Message.js'
import { sessionIdOf } from '../../log/SessionId.js'
import type { Chance } from './Chance.js'

const sessionsAtOnce = 60
const messagesAhead = 40
const largestText = 5_000

export const floodOf = (
  chance: Chance,
  { me, flows, name }: { readonly me: PublicKey; readonly flows: readonly string[]; readonly name: string },
): readonly Envelope[] =>
  Array.from({ length: chance.between(1, sessionsAtOnce) }, (_, number) => {
    const nonce = sha256(`${name} ${number}`)
    const end = { kind: 'message', session: sessionIdOf(me, nonce), from: 'initiator' } as const
    const flow = chance.oneIn(6) ? 'nobody/Answers' : chance.pick([...flows, 'carillon/Broadcast'])
    const opening: Envelope = {
      ...end,
      seq: 0,
      message: { kind: 'open', flow, version: chance.oneIn(10) ? 99 : 1, nonce },
    }
    if (!chance.oneIn(4)) return [opening]
    // Without the first, nothing of what follows is ever read.
    const firstSeq = chance.pick([1, 2, 2, 2])
    const text = 'x'.repeat(chance.below(largestText))
    const ahead = Array.from({ length: chance.between(1, messagesAhead) }, (__, place): Envelope => ({
      ...end,
      seq: firstSeq + place,
      message: { kind: 'data', payload: text },
    }))
    return [opening, ...ahead, ...chance.some(ahead, 3)]
  }).flat()
