/**
 * A tick as it is written: a header line and one line of canonical text for each event. The running hash
 * covers these lines and nothing else, so the same history has the same head on every log adapter.
 */
import * as t from 'io-ts'
import { IntegerC } from '../encoding/IntegerC.js'
import { sha256Of, zeroHash, type Hash } from '../encoding/hash.js'
import { InstantC, type Instant } from '../time/Instant.js'

/** Where a log ends: the number of its last tick, the revision of its last event, the running hash and its signature. */
export type Head = {
  readonly tick: number
  readonly revision: number
  readonly hash: Hash
  readonly signature: string
}

/** The head of a log without events: revisions count from 0, ticks from 1. */
export const emptyHead: Head = { tick: 0, revision: -1, hash: zeroHash, signature: '' }

/** A tick as it is written: its number, its instant, its events as text, and the running hash after it. */
export type EncodedTick = {
  readonly number: number
  readonly firstRevision: number
  readonly at: Instant
  /** Canonical text of each event, in order. */
  readonly events: readonly string[]
  /** The running hash after this tick. */
  readonly hash: Hash
  /** The node's signature over the running hash and the tick's transactions. The next running hash covers it. */
  readonly signature: string
}

/** A tick before it is hashed and signed. */
export type OpenEncodedTick = Omit<EncodedTick, 'hash' | 'signature'>

export const TickHeaderC = t.strict({ at: InstantC, count: IntegerC, revision: IntegerC, tick: IntegerC })

// Written by hand because its members are few, plain and already in canonical order.
export const headerLine = (tick: OpenEncodedTick): string =>
  `{"at":"${tick.at}","count":${tick.events.length},"revision":${tick.firstRevision},"tick":${tick.number}}`

/** Lines joined so far, as text or as its bytes: they are hashed and stored, and half a megabyte is not put together twice. */
const joined = new WeakMap<readonly string[], string | Uint8Array>()

/** Lines of events that were put together already, as the bytes of the text that {@link linesOf} gives. */
export const rememberLines = (events: readonly string[], lines: Uint8Array): void => {
  joined.set(events, lines)
}

/** The lines of a tick's events as one text; canonical text holds no line break of its own. */
export const linesOf = (events: readonly string[]): string => {
  const known = joined.get(events)
  if (typeof known === 'string') return known
  const text = events.join('\n')
  if (known === undefined) joined.set(events, text)
  return text
}

/** As {@link linesOf}, for whoever can do with the bytes of the text where these are at hand. */
export const joinedLines = (events: readonly string[]): string | Uint8Array => joined.get(events) ?? linesOf(events)

/** The events of {@link linesOf}, which need not be joined again to be hashed. */
export const eventsOf = (lines: string): readonly string[] => {
  const events = lines.split('\n')
  joined.set(events, lines)
  return events
}

/** What a tick is hashed after: the running hash before it, and the signature over that. */
export type HashLink = Pick<Head, 'hash' | 'signature'>

/** The running hash after a tick: over the link before it, its header and its events. */
export const hashAfterTick = (before: HashLink, tick: OpenEncodedTick): Hash =>
  sha256Of(`${before.hash}\n${before.signature}\n${headerLine(tick)}\n`, joinedLines(tick.events))

/** Builds the tick that follows a head, and lets its running hash be signed. */
export const tickAfter = (
  head: Head,
  at: Instant,
  events: readonly string[],
  sign: (hash: Hash) => string,
): EncodedTick => {
  const tick = { number: head.tick + 1, firstRevision: head.revision + 1, at, events }
  const hash = hashAfterTick(head, tick)
  return { ...tick, hash, signature: sign(hash) }
}

export const headAfter = (tick: EncodedTick): Head => ({
  tick: tick.number,
  revision: tick.firstRevision + tick.events.length - 1,
  hash: tick.hash,
  signature: tick.signature,
})
