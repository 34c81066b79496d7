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

/** Throws `fact-too-large` when the log does not take an event of so many bytes. */
export const assertFits = (type: EventType, bytes: number): void => {
  if (bytes > logLimits.factBytes)
    throw new CarillonError(
      'fact-too-large',
      `A ${type} of ${bytes} bytes is larger than the ${logLimits.factBytes} bytes one fact may take. Split it, or keep the bulk outside the ledger and record its hash.`,
      { type, bytes },
    )
}
