/**
 * Decodes the events of a log one after the other, and learns their shapes on the way: most are then made at one look from
 * an event like them. They are what {@link decodeEvent} gives, but for opaque values, which may be canonical text.
 */
import { KnownShapes } from '../encoding/KnownShapes.js'
import { decodeEvent } from './decodeEvent.js'
import { eventShapeOf, type EventShape } from './EventShape.js'
import type { FoldableEvent } from './FoldableEvent.js'

/** Looked at are so many events, then it is said whether looking pays. */
const trial = 256
/** When it does not, because no two are of a shape, so many events are decoded without a look. */
const pause = 4_096

export class EventDecoder {
  #shapes = new KnownShapes<EventShape>()
  /** Events since the trial began, and how many of them were recognised. */
  #seen = 0
  #recognised = 0

  /** The event that a line of the log holds. Throws what {@link decodeEvent} throws. */
  decode(line: string, revision: number): FoldableEvent {
    this.#seen += 1
    if (this.#seen > trial) this.#judge()
    if (this.#seen <= 0) return decodeEvent(line, revision)
    const known = this.#shapes.recognise(line, read)
    if (known !== undefined) {
      this.#recognised += 1
      return known
    }
    const event = decodeEvent(line, revision)
    const shape = this.#shapes.hasPlaceFor(line) ? eventShapeOf(line, event) : undefined
    if (shape !== undefined) this.#shapes.learn(shape.shape, shape)
    return event
  }

  #judge(): void {
    const pays = this.#recognised * 2 >= trial
    this.#recognised = 0
    this.#seen = pays ? 1 : -pause
    if (!pays) this.#shapes = new KnownShapes()
  }
}

const read = ({ read: readAs }: EventShape, match: RegExpExecArray): FoldableEvent | undefined => readAs(match)
