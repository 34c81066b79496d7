/**
 * Reading events back: a line of canonical text to a checked event, older shapes brought up to date first.
 */
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import { decodeWith } from '../encoding/decode.js'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { eventCodecs, type DomainEvent, type EventType } from './events.js'

/**
 * For an event type, the changes its shape has been through; each entry lifts the older form. Events carry no
 * version of their own as long as a shape can be told by its fields.
 */
type EventUpcaster = (older: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
const upcasters: Readonly<Partial<Record<EventType, readonly EventUpcaster[]>>> = {}

export const isEventType = (type: string): type is EventType => Object.hasOwn(eventCodecs, type)

/** The event that a line of the log holds. Throws `log-undecodable` or `log-too-new`. */
export const decodeEvent = (line: string, revision: number): DomainEvent => {
  const undecodable = (why: string) =>
    new CarillonError(
      'log-undecodable',
      `Event ${revision} of the log cannot be decoded: ${why}. Run "carillon log verify" to see whether the log was altered.`,
      { revision },
    )
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    throw undecodable(messageOf(error))
  }
  if (!t.UnknownRecord.is(value)) throw undecodable('it is not an object')
  const type = value['type']
  if (typeof type !== 'string') throw undecodable('it has no type')
  if (!isEventType(type)) {
    throw new CarillonError(
      'log-too-new',
      `Event ${revision} of the log is a ${type}, which this version does not know. The log was written by a newer version of Carillon; run that version.`,
      { revision, type },
    )
  }
  const lifted = (upcasters[type] ?? []).reduce<Readonly<Record<string, unknown>>>(
    (older, upcast) => upcast(older),
    value,
  )
  const codec: t.Decoder<unknown, unknown> = eventCodecs[type]
  const decoded = decodeWith(codec, lifted)
  if (isLeft(decoded)) throw undecodable(decoded.left.join('; '))
  // The codec of the type is the codec of the event; TypeScript cannot follow the lookup.
  return decoded.right as DomainEvent
}
