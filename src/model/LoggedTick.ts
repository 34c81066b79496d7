/**
 * One tick of the log: what was recorded together, and when. A tick is the only input of the model.
 */
import type { DomainEvent } from '../log/events.js'
import type { Instant } from '../time/Instant.js'

/** A tick as it was read from the log. */
export type LoggedTick = {
  /** The revision of its first event; the others follow without a gap. */
  readonly firstRevision: number
  /** The node's clock when the tick was decided. All of its events happened at this instant. */
  readonly at: Instant
  readonly events: readonly DomainEvent[]
  /** How many bytes its events take in the log. A tick that has taken many stops early. */
  readonly bytes: number
}

/** Where an event stands in the log, and when it happened. */
export type EventPlace = { readonly revision: number; readonly at: Instant }
