/**
 * The sessions that were not let be opened: there is no other end, and whoever opened one has heard an error first of all, or
 * had ended before its opening was answered. A refusal is in no log but that of its hearer.
 */
import type { PartyAtEnd } from '../World.js'

export const refusedSessions = (parties: readonly PartyAtEnd[]): ReadonlySet<string> => {
  const refused = new Set<string>()
  const opened = new Set<string>()
  for (const { log } of parties) {
    const over = new Set<string>()
    for (const { event } of log) {
      if (event.type === 'SessionOpened' && event.role === 'responder') opened.add(event.session)
      if (!('role' in event) || event.role !== 'initiator') continue
      if (event.type === 'MessageSent' && (event.message.kind === 'end' || event.message.kind === 'error'))
        over.add(event.session)
      if (event.type === 'MessageAcknowledged' && event.seq === 0 && over.has(event.session)) refused.add(event.session)
      if (event.type === 'MessageReceived' && event.seq === 0 && event.message.kind === 'error')
        refused.add(event.session)
    }
  }
  return new Set([...refused].filter((session) => !opened.has(session)))
}
