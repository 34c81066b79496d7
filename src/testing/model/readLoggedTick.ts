/**
 * A tick of a log in the form the model takes: decoded, with its size.
 */
import { decodeEvent } from '../../log/decodeEvent.js'
import type { EncodedTick } from '../../log/Tick.js'
import type { LoggedTick } from '../../model/index.js'

export const readLoggedTick = (
  { at, firstRevision, events }: EncodedTick,
  decode: typeof decodeEvent = decodeEvent,
): LoggedTick => ({
  at,
  firstRevision,
  events: events.map((line, index) => decode(line, firstRevision + index)),
  bytes: events.reduce((sum, line) => sum + Buffer.byteLength(line), 0),
})
