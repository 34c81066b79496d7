/**
 * Where in the text of an event its places are. Nothing is said of a text that is not canonical.
 */
import { readCanonical, type CanonicalReader } from '../encoding/CanonicalReader.js'
import { hasGaps } from '../encoding/CanonicalShape.js'
import type { PlaceShape, PlaceKind } from './eventPlaces.js'

/** The name of a member, or the number of an element. */
export type PathKey = string | number

/** A part of the text: what may stand there, the way to it from the event, and where it is, without its quotes. */
export type EventPiece = {
  readonly kind: PlaceKind
  readonly path: readonly PathKey[]
  readonly from: number
  readonly until: number
}

const hasQuotes: ReadonlySet<PlaceKind> = new Set<PlaceKind>(['text', 'indexedText', 'hash', 'instant'])

/** Reads a text, and notes what lies in one of the places. */
class PieceFinder {
  readonly pieces: EventPiece[] = []
  isUnique = false
  readonly #reader: CanonicalReader

  constructor(reader: CanonicalReader) {
    this.#reader = reader
  }

  read(place: PlaceShape | undefined, path: readonly PathKey[]): void {
    if (place === undefined) this.#reader.skip()
    else if (place === 'unique') {
      this.isUnique = true
      this.#reader.skip()
    } else if (place === 'indexed')
      this.#reader.object((key) => {
        this.#indexed([...path, key])
      })
    else if (typeof place === 'string') this.#piece(place, path)
    else if ('each' in place) {
      let index = 0
      this.#reader.list(() => {
        this.read(place.each, [...path, index])
        index += 1
      })
    } else
      this.#reader.object((key) => {
        this.read(Object.hasOwn(place.members, key) ? place.members[key] : undefined, [...path, key])
      })
  }

  #piece(kind: PlaceKind, path: readonly PathKey[]): void {
    const from = this.#reader.at
    const written = this.#reader.value()
    // What can be nothing else stays part of the pattern.
    if (kind === 'json' && !hasGaps(written)) return
    const inset = hasQuotes.has(kind) ? 1 : 0
    this.pieces.push({ kind, path, from: from + inset, until: this.#reader.at - inset })
  }

  /** An indexed value may be text or a number; others in its place will be what it is. */
  #indexed(path: readonly PathKey[]): void {
    const from = this.#reader.at
    const written = this.#reader.value()
    const until = this.#reader.at
    if (written.startsWith('"')) this.pieces.push({ kind: 'indexedText', path, from: from + 1, until: until - 1 })
    else if (/^\d+$/.test(written)) this.pieces.push({ kind: 'integer', path, from, until })
  }
}

/** The pieces of an event's text, in order; undefined when the text is not canonical, or like no other. */
export const piecesOf = (line: string, place: PlaceShape): readonly EventPiece[] | undefined => {
  const found = readCanonical(line, (reader) => {
    const finder = new PieceFinder(reader)
    finder.read(place, [])
    return finder
  })
  return found === undefined || found.isUnique ? undefined : found.pieces
}
