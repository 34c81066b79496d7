/**
 * Whether two facts are the same but for texts for people: an error counts by its code, so its message can be reworded.
 */
import { canonicalText } from '../../encoding/canonical.js'
import type { DomainEvent } from '../../log/events.js'

const withoutTexts = (event: DomainEvent): unknown => {
  // When the end of a flow needs attention is for operators, too.
  if (event.type === 'FlowEnded') return { ...event, error: event.error?.code, attentionAt: undefined }
  if (event.type === 'MessageSent' && event.message.kind === 'error') return { ...event, message: event.message.code }
  return event
}

export const isSameFact = (recorded: DomainEvent | undefined, coded: DomainEvent): boolean =>
  recorded !== undefined && canonicalText(withoutTexts(recorded)) === canonicalText(withoutTexts(coded))
