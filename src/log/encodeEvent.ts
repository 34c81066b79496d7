/**
 * Writing events: each type by the shape its codec knows, so that the log holds exactly what can be read back.
 */
import { canonicalText } from '../encoding/canonical.js'
import { plainForm, plainText, type PlainForm } from '../encoding/plainForm.js'
import { CarillonError } from '../errors/CarillonError.js'
import { eventCodecs, type DomainEvent, type EventType } from './events.js'
import { logLimits } from './limits.js'

const forms = new Map<EventType, PlainForm | undefined>(
  Object.entries(eventCodecs).map(([type, codec]) => [type as EventType, plainForm(codec)]),
)

/** The line of the log that holds an event: its canonical text. */
export const encodeEvent = (event: DomainEvent): string => {
  const form = forms.get(event.type)
  return form === undefined ? canonicalText(event) : plainText(form, event)
}

/** As {@link encodeEvent}, with its bytes. Throws `fact-too-large` when the log does not take it. */
export const encodeFact = (event: DomainEvent): { readonly line: string; readonly bytes: number } => {
  const line = encodeEvent(event)
  const bytes = Buffer.byteLength(line)
  if (bytes > logLimits.factBytes)
    throw new CarillonError(
      'fact-too-large',
      `A ${event.type} of ${bytes} bytes is larger than the ${logLimits.factBytes} bytes one fact may take. Split it, or keep the bulk outside the ledger and record its hash.`,
      { type: event.type, bytes },
    )
  return { line, bytes }
}
