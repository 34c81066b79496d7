/**
 * What must be true of every node, whatever a member sends: sessions and messages that are kept for it are no more than its
 * budgets allow.
 */
import { limitsOf } from '../../../limits.js'
import type { SessionLimits } from '../../../session/limits.js'
import { sessionLimits } from '../../../session/limits.js'
import type { Invariant, PartyAtEnd } from '../World.js'

/** What is kept of one session that another party has opened. */
type Kept = { readonly party: string; asked: number; readonly unread: Set<number> }

const excessesOf = ({ name, party, log }: PartyAtEnd, limits: SessionLimits): readonly string[] => {
  const excesses: string[] = []
  const open = new Map<string, Kept>()
  const ofParty = new Map<string, number>()
  for (const { event, revision } of log) {
    if (event.type === 'SessionOpened' && event.role === 'responder' && event.flow !== undefined) {
      const count = (ofParty.get(event.party) ?? 0) + 1
      ofParty.set(event.party, count)
      open.set(event.session, { party: event.party, asked: 0, unread: new Set() })
      if (count > limits.sessionsPerParty && event.party !== party.key)
        excesses.push(`${name} lets ${event.party} open session ${count} in event ${revision}`)
    } else if (event.type === 'MessageReceived' && event.role === 'responder') {
      const kept = open.get(event.session)
      if (kept === undefined) continue
      if (event.seq > kept.asked) kept.unread.add(event.seq)
      if (kept.unread.size > limits.unreadMessages)
        excesses.push(`${name} keeps ${kept.unread.size} messages of ${event.session} unread in event ${revision}`)
    } else if (event.type === 'FlowAdvanced') {
      for (const wait of event.waiting) {
        const kept = wait.for === 'message' && wait.role === 'responder' ? open.get(wait.session) : undefined
        if (kept === undefined || wait.for !== 'message') continue
        kept.asked = Math.max(kept.asked, wait.seq)
        for (const seq of kept.unread) if (seq <= kept.asked) kept.unread.delete(seq)
      }
    } else if (
      event.type === 'MessageSent' &&
      event.role === 'responder' &&
      (event.message.kind === 'end' || event.message.kind === 'error')
    ) {
      const kept = open.get(event.session)
      open.delete(event.session)
      if (kept !== undefined) ofParty.set(kept.party, (ofParty.get(kept.party) ?? 1) - 1)
    }
  }
  return excesses
}

export const budgetsKept: Invariant = {
  name: 'no member has more open or unread than its budgets allow',
  violations: ({ parties, plan }) =>
    parties.flatMap((party) => excessesOf(party, limitsOf('session', sessionLimits, plan.limits.session))),
}
