/**
 * Reading events back: a line of canonical text to a checked event. What this version does not know is
 * refused, never left out.
 */
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import { decodeWith } from '../encoding/decode.js'
import { canonicalText } from '../encoding/canonical.js'
import { CarillonError, messageOf, type ErrorDetails } from '../errors/CarillonError.js'
import { eventCodecs, type DomainEvent, type EventType } from './events.js'
import { logFormat, oldestLogFormat } from './logFormat.js'

export const isEventType = (type: string): type is EventType => Object.hasOwn(eventCodecs, type)

const tooNew = (revision: number, what: string, details: ErrorDetails): CarillonError =>
  new CarillonError(
    'log-too-new',
    `Event ${revision} of the log ${what} that this version does not know. The log was written by a newer version of Carillon; run that version. The log was not changed.`,
    { revision, ...details },
  )

const tooOld = (revision: number): CarillonError =>
  new CarillonError(
    'log-too-old',
    `Event ${revision} of the log is of the format before the first release, whose ticks are not signed. It cannot be read any more, and the log was not changed. Begin a new log.`,
    { revision },
  )

/** Every start of a node says in which format it goes on, and which version of Carillon writes it. */
const assertFormat = (started: Readonly<Record<string, unknown>>, revision: number): void => {
  const { format, carillon } = started
  if (format === undefined) throw tooOld(revision)
  if (typeof format !== 'number' || (format >= oldestLogFormat && format <= logFormat)) return
  if (format < oldestLogFormat) throw tooOld(revision)
  throw new CarillonError(
    'log-too-new',
    `From event ${revision} on the log is in format ${format}, written by Carillon ${String(carillon)}; this version reads up to format ${logFormat}. Run Carillon ${String(carillon)} or newer. The log was not changed.`,
    { revision, format, carillon: String(carillon) },
  )
}

/** The event that a line of the log holds. Throws `log-undecodable`, `log-too-new` or `log-too-old`. */
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
  if (type === 'NodeStarted') assertFormat(value, revision)
  if (!isEventType(type)) throw tooNew(revision, `is a ${type}`, { type })
  const codec: t.Decoder<unknown, unknown> = eventCodecs[type]
  const decoded = decodeWith(codec, value)
  if (isLeft(decoded)) throw undecodable(decoded.left.join('; '))
  // The codec drops fields that it does not know.
  if (canonicalText(decoded.right) !== line) {
    if (canonicalText(value) !== line) throw undecodable('it is not in canonical form')
    throw tooNew(revision, `is a ${type} with fields`, { type })
  }
  // The codec of the type is the codec of the event; TypeScript cannot follow the lookup.
  return decoded.right as DomainEvent
}
