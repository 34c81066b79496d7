/**
 * What must be true of every node, whatever a member sends: sessions and messages that are kept for it are no more than its
 * budgets allow.
 */
import { canonicalText } from '../../../encoding/canonical.js'
import type { PublicKey } from '../../../identity/PublicKey.js'
import type { EventOf } from '../../../log/events.js'
import { endKey } from '../../../session/SessionRow.js'
import { limitsOf } from '../../../limits.js'
import type { SessionLimits } from '../../../session/limits.js'
import { sessionLimits } from '../../../session/limits.js'
import type { Invariant, PartyAtEnd } from '../World.js'

/** What is kept of one end of a session: the unread messages by number, with their bytes. */
type Kept = {
  readonly party: PublicKey
  readonly isTheirs: boolean
  readonly flow: string | undefined
  asked: number
  readonly unread: Map<number, number>
}

const sumOf = (numbers: Iterable<number>): number => [...numbers].reduce((sum, each) => sum + each, 0)

const excessesOf = ({ name, party, log }: PartyAtEnd, limits: SessionLimits): readonly string[] => {
  const excesses: string[] = []
  const open = new Map<string, Kept>()
  const keptOf = (key: PublicKey): readonly Kept[] => [...open.values()].filter((kept) => kept.party === key)
  const receive = ({ seq, message }: EventOf<'MessageReceived'>, kept: Kept, where: string): void => {
    if (seq <= kept.asked) return
    kept.unread.set(seq, canonicalText(message).length)
    if (kept.unread.size > limits.unreadMessages) excesses.push(`${name} keeps ${kept.unread.size} unread ${where}`)
    if (sumOf(kept.unread.values()) > limits.unreadBytes) excesses.push(`${name} keeps too many bytes unread ${where}`)
    const ofParty = sumOf(keptOf(kept.party).map(({ unread }) => sumOf(unread.values())))
    if (ofParty > limits.unreadBytesPerParty)
      excesses.push(`${name} keeps ${ofParty} bytes of ${kept.party} unread ${where}`)
  }
  for (const { event, revision } of log) {
    if (event.type === 'SessionOpened') {
      const isTheirs = event.role === 'responder'
      if (event.flow === undefined)
        excesses.push(`${name} records a session that nothing answers, in event ${revision}`)
      const { flow, party: other } = event
      open.set(endKey(event.session, event.role), { party: other, isTheirs, flow, asked: 0, unread: new Map() })
      const count = keptOf(event.party).filter((kept) => kept.isTheirs).length
      if (isTheirs && count > limits.sessionsPerParty && event.party !== party.key)
        excesses.push(`${name} lets ${event.party} open session ${count} in event ${revision}`)
    } else if (event.type === 'MessageReceived') {
      const kept = open.get(endKey(event.session, event.role))
      if (kept !== undefined) receive(event, kept, `of ${event.session} in event ${revision}`)
    } else if (event.type === 'FlowAdvanced') {
      for (const wait of event.waiting) {
        const kept = wait.for === 'message' ? open.get(endKey(wait.session, wait.role)) : undefined
        if (kept === undefined || wait.for !== 'message') continue
        kept.asked = Math.max(kept.asked, wait.seq)
        for (const seq of kept.unread.keys()) if (seq <= kept.asked) kept.unread.delete(seq)
      }
    } else if (event.type === 'FlowEnded') for (const [end, { flow }] of open) if (flow === event.flow) open.delete(end)
  }
  return excesses
}

export const budgetsKept: Invariant = {
  name: 'no member has more open or unread than its budgets allow',
  violations: ({ parties, plan }) =>
    parties.flatMap((party) => excessesOf(party, limitsOf('session', sessionLimits, plan.limits.session))),
}
