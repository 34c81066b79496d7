/**
 * Writing events: each type by the shape its codec knows, so that the log holds exactly what can be read back.
 */
import { canonicalText } from '../encoding/canonical.js'
import { plainForm, plainText, type PlainForm } from '../encoding/plainForm.js'
import { eventCodecs, type DomainEvent, type EventType } from './events.js'

const forms = new Map<EventType, PlainForm | undefined>(
  Object.entries(eventCodecs).map(([type, codec]) => [type as EventType, plainForm(codec)]),
)

/** The line of the log that holds an event: its canonical text. */
export const encodeEvent = (event: DomainEvent): string => {
  const form = forms.get(event.type)
  return form === undefined ? canonicalText(event) : plainText(form, event)
}
