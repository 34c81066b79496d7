/**
 * Reads the texts of events, one after the other, and learns their shapes. A log holds a few shapes a great many times,
 * so most events are recognised at one look; the others are read, with the same result.
 */
import { shapeOf } from '../encoding/CanonicalShape.js'
import { KnownShapes } from '../encoding/KnownShapes.js'
import { eventFrom, outlineOf, type EventOutline, type EventText } from './EventText.js'

const readAs = (outline: EventOutline, match: RegExpExecArray): EventText | undefined =>
  eventFrom(outline, (index) => match[index + 1] ?? '')

export class EventReader {
  readonly #shapes = new KnownShapes<EventOutline>()

  /** Reads an event's text; undefined when it is not the canonical text of an object with a type. */
  read(line: string): EventText | undefined {
    return this.#shapes.recognise(line, readAs) ?? this.#meet(line)
  }

  #meet(line: string): EventText | undefined {
    const outline = outlineOf(line)
    if (outline === undefined) return undefined
    const shape = this.#shapes.hasPlaceFor(line) ? shapeOf(line, outline.pieces) : undefined
    if (shape !== undefined) this.#shapes.learn(shape, outline)
    return eventFrom(outline, (index) => {
      const piece = outline.pieces[index]
      return line.slice(piece?.from, piece?.until)
    })
  }
}
