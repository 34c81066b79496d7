/**
 * An event that was decoded once, as a pattern for others: whatever text has its shape is an event that differs from it
 * in known places alone, and is made from it without being parsed. What is opaque to the log stays the canonical text
 * that it is.
 */
import { canonicalText, Encoded } from '../encoding/canonical.js'
import { anyInteger, anyText, shapeAround, textUpTo } from '../encoding/CanonicalShape.js'
import { ledgerLimits } from '../ledger/limits.js'
import { InstantC } from '../time/Instant.js'
import { piecesOf, type PathKey } from './eventPieces.js'
import { eventPlaces, type PlaceKind } from './eventPlaces.js'
import type { DomainEvent } from './events.js'
import type { FoldableEvent } from './FoldableEvent.js'

const patterns: Readonly<Record<PlaceKind, string | undefined>> = {
  text: anyText,
  indexedText: textUpTo(ledgerLimits.indexedTextLength),
  hash: '[0-9a-f]{64}',
  // Which days there are is looked up when one has been found.
  instant: '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z',
  integer: anyInteger,
  json: undefined,
}

/** Makes a part of the event from what was found in the places; throws when something there only looks right. */
type Make = (match: RegExpExecArray) => unknown

/**
 * A copy of its own: a piece that the engine has cut out of a text keeps the whole text in memory, and rows would keep a
 * whole tick for the sake of an id. What is put together anew and then cut is a text by itself.
 */
const detached = (piece: string): string => ` ${piece}`.slice(1)

/** Raised when a text that looked right is not; callers of this file see `undefined` instead. */
class NotOfThisShape extends Error {}

const instantIn = (text: string): string => {
  if (!InstantC.is(text)) throw new NotOfThisShape()
  return detached(text)
}

const makeValue = (kind: PlaceKind, group: number): Make => {
  switch (kind) {
    case 'integer':
      return (match) => Number(match[group])
    case 'json':
      return (match) => new Encoded(detached(match[group] ?? ''))
    case 'instant':
      return (match) => instantIn(match[group] ?? '')
    case 'text':
    case 'indexedText':
    case 'hash':
      return (match) => detached(match[group] ?? '')
  }
}

type Filler = readonly [path: readonly PathKey[], make: Make]

/** Makes copies of a part of the pattern, with what was found in the places. */
const makeCopy = (pattern: object, keys: readonly PathKey[], makes: readonly Make[]): Make => {
  const fill = (copy: Record<PathKey, unknown>, match: RegExpExecArray): unknown => {
    for (let place = 0; place < keys.length; place++) copy[keys[place] ?? ''] = makes[place]?.(match)
    return copy
  }
  // A copy of a list is a list with numbers for keys.
  return Array.isArray(pattern)
    ? (match) => fill([...(pattern as unknown[])] as unknown as Record<PathKey, unknown>, match)
    : (match) => fill({ ...pattern }, match)
}

const makePart = (pattern: unknown, fillers: readonly Filler[]): Make => {
  const [[path, make] = []] = fillers
  if (make !== undefined && path?.length === 0) return make
  const byKey = new Map<PathKey, Filler[]>()
  for (const [[key = '', ...rest], inner] of fillers) byKey.set(key, [...(byKey.get(key) ?? []), [rest, inner]])
  const whole = pattern as Readonly<Record<PathKey, unknown>>
  const makes = [...byKey].map(([key, inner]) => makePart(whole[key], inner))
  return makeCopy(whole, [...byKey.keys()], makes)
}

export type EventShape = {
  readonly shape: RegExp
  readonly read: (match: RegExpExecArray) => FoldableEvent | undefined
}

/** The shape of an event, from its text and what it was decoded to; undefined for one that has none. */
export const eventShapeOf = (line: string, event: DomainEvent): EventShape | undefined => {
  const place = eventPlaces[event.type]
  if (place === undefined) return undefined
  const pieces = piecesOf(line, place)
  if (pieces === undefined) return undefined
  const shape = shapeAround(
    line,
    pieces.map(({ from, until, kind }) => ({ from, until, pattern: patterns[kind] })),
  )
  if (shape === undefined) return undefined
  const make = makePart(
    event,
    pieces.map(({ path, kind }, index) => [path, makeValue(kind, index + 1)]),
  )
  const read = (match: RegExpExecArray): FoldableEvent | undefined => {
    try {
      // The codec of the pattern has said what the event is; TypeScript cannot follow it through the places.
      return make(match) as FoldableEvent
    } catch (error) {
      if (error instanceof NotOfThisShape) return undefined
      throw error
    }
  }
  // One with a number that no gap takes, or brought up to date from an older form, does not give back its own line: it is
  // no pattern.
  const own = shape.exec(line)
  const again = own === null ? undefined : read(own)
  return again !== undefined && canonicalText(again) === line ? { shape, read } : undefined
}
