/**
 * The heads a node has signed, as its log holds them and as others keep them.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import { decodeWith } from '../../encoding/decode.js'
import { CarillonError } from '../../errors/CarillonError.js'
import { decodeEvent } from '../../log/decodeEvent.js'
import type { EventLog } from '../../log/EventLog.js'
import { eventCodecs } from '../../log/events.js'
import type { EncodedTick } from '../../log/Tick.js'
import { verifySignedHead, type SignedHead } from '../../heads/SignedHead.js'

/** The signed heads among the events of a tick. */
export const signedHeadsIn = (tick: EncodedTick): readonly SignedHead[] =>
  tick.events.flatMap((line, index) => {
    // Looked for in the text first: almost no line is one.
    if (!line.includes('"type":"HeadSigned"')) return []
    const event = decodeEvent(line, tick.firstRevision + index)
    return event.type === 'HeadSigned' ? [event] : []
  })

/** Events read at first in search of the newest signed head; then twice as many, and so on. */
const firstLook = 4_096

/** The newest head that a log holds; undefined when none was signed yet. */
export const newestSignedHead = async (log: Pick<EventLog, 'head' | 'read'>): Promise<SignedHead | undefined> => {
  const { revision: last } = await log.head()
  if (last < 0) return undefined
  for (let look = firstLook; ; look *= 2) {
    const from = Math.max(0, last + 1 - look)
    let newest: SignedHead | undefined
    for await (const tick of log.read(from)) newest = signedHeadsIn(tick).at(-1) ?? newest
    if (newest !== undefined || from === 0) return newest
  }
}

/** A head from outside: refused with `head-invalid` unless it is one and its signature holds. */
export const readSignedHead = (value: unknown): SignedHead => {
  const decoded = decodeWith(eventCodecs.HeadSigned, value)
  const invalid = (why: string): CarillonError =>
    new CarillonError(
      'head-invalid',
      `This is not a signed head: ${why}. "carillon log head" prints one as a line of JSON.`,
    )
  if (isLeft(decoded)) throw invalid(decoded.left.slice(0, 3).join('; '))
  if (!verifySignedHead(decoded.right)) throw invalid('its signature does not verify')
  return decoded.right
}
