/**
 * Sends a page of history to the other end of a session: as many of the transactions as one message holds, oldest first.
 */
import { canonicalText, Encoded, utf8Length } from '../../encoding/canonical.js'
import { CarillonError } from '../../errors/CarillonError.js'
import { finalityLimits } from '../limits.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import type { SessionRole } from '../../log/Message.js'
import type { SessionId } from '../../log/SessionId.js'
import { factsAnswer } from '../../flow/Answer.js'
import { defineOperation } from '../../flow/defineOperation.js'
import { messageSent, sessionOf } from '../../session/sessionMessages.js'
import type { FinalityReads } from '../FinalityReads.js'

export type Vend = {
  readonly kind: 'vend'
  readonly session: SessionId
  readonly role: SessionRole
  readonly ids: readonly TransactionId[]
}

export const vend = defineOperation<Vend, FinalityReads>({
  kind: 'vend',
  statesFacts: true,
  readsLog: true,
  identity: ({ session, role, ids }) => ({ session, role, ids }),
  label: () => 'send history',
  decide: (reads, { ids, ...end }, flow) => {
    const session = sessionOf(reads, flow, end)
    if (session.closed) throw new CarillonError('session-ended', 'The session has ended; no history can be sent on it.')
    const page: Encoded[] = []
    let bytes = 0
    for (const transaction of ids) {
      const text = canonicalText(reads.signedTransaction(transaction))
      const size = utf8Length(text)
      if (page.length > 0 && bytes + size > finalityLimits.historyPageBytes) break
      bytes += size
      page.push(new Encoded(text))
    }
    const payload = new Encoded(canonicalText({ type: 'history', transactions: page }))
    return factsAnswer([messageSent(session, { kind: 'data', payload })], page.length, page.length)
  },
})
