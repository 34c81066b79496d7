/**
 * Reads the texts of events, one after the other, and learns their shapes. A log holds a few shapes a great many times,
 * so most events are recognised at one look; the others are read, with the same result.
 */
import { shapeOf } from '../../encoding/CanonicalShape.js'
import { eventFrom, outlineOf, type EventOutline, type EventText } from './EventText.js'

type Known = {
  readonly shape: RegExp
  readonly outline: EventOutline
  /** What came next when this was last seen, which it will most likely be again. */
  next: Known | undefined
}

/** An event that seldom comes again, or that is so long that it hardly can, is not worth a shape. */
const mostShapes = 16
const longestShape = 4_096
/** Once that many are known, one of so many strangers takes the place of the oldest. */
const strangersPerShape = 64

export class EventReader {
  readonly #known: Known[] = []
  #last: Known | undefined
  #strangers = 0

  /** Reads an event's text; undefined when it is not the canonical text of an object with a type. */
  read(line: string): EventText | undefined {
    return this.#recognise(line) ?? this.#meet(line)
  }

  #recognise(line: string): EventText | undefined {
    const expected = this.#last?.next
    const text = expected === undefined ? undefined : this.#as(expected, line)
    if (text !== undefined) return text
    for (const known of this.#known) {
      const found = known === expected ? undefined : this.#as(known, line)
      if (found !== undefined) return found
    }
    return undefined
  }

  #as(known: Known, line: string): EventText | undefined {
    const match = known.shape.exec(line)
    if (match === null) return undefined
    this.#follow(known)
    return eventFrom(known.outline, (index) => match[index + 1] ?? '')
  }

  #follow(known: Known): void {
    if (this.#last !== undefined) this.#last.next = known
    this.#last = known
  }

  #meet(line: string): EventText | undefined {
    const outline = outlineOf(line)
    if (outline === undefined) return undefined
    this.#learn(line, outline)
    return eventFrom(outline, (index) => {
      const piece = outline.pieces[index]
      return line.slice(piece?.from, piece?.until)
    })
  }

  #learn(line: string, outline: EventOutline): void {
    this.#strangers += 1
    const hasPlace = this.#known.length < mostShapes || this.#strangers % strangersPerShape === 0
    const shape = hasPlace && line.length <= longestShape ? shapeOf(line, outline.pieces) : undefined
    if (shape === undefined) return
    if (this.#known.length >= mostShapes) this.#forgetOldest()
    const known = { shape, outline, next: undefined }
    this.#known.push(known)
    this.#follow(known)
  }

  #forgetOldest(): void {
    const oldest = this.#known.shift()
    if (this.#last === oldest) this.#last = undefined
    for (const known of this.#known) if (known.next === oldest) known.next = undefined
  }
}
