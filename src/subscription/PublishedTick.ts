/**
 * The public events of one tick, decoded once for everyone who reads them. They are frozen: what one reader did to an event
 * would reach all others.
 */
import { frozen } from '../encoding/frozen.js'
import { decodeEvent } from '../log/decodeEvent.js'
import { publicEventOf, type PublicEvent } from '../log/PublicEvent.js'
import { headAfter, type EncodedTick, type Head } from '../log/Tick.js'

export class PublishedTick {
  readonly tick: EncodedTick
  /** The revision of its last event. */
  readonly lastRevision: number
  #events: readonly PublicEvent[] | undefined

  constructor(tick: EncodedTick) {
    this.tick = tick
    this.lastRevision = tick.firstRevision + tick.events.length - 1
  }

  /** Decoded when they are first asked for. */
  get events(): readonly PublicEvent[] {
    this.#events ??= this.#decode()
    return this.#events
  }

  get head(): Head {
    return headAfter(this.tick)
  }

  #decode(): readonly PublicEvent[] {
    const { number, firstRevision, at, hash, events } = this.tick
    const published: PublicEvent[] = []
    for (const [index, line] of events.entries()) {
      const revision = firstRevision + index
      const body = publicEventOf(decodeEvent(line, revision))
      if (body !== undefined) published.push(frozen({ revision, tick: number, at, hash, ...body }))
    }
    return published
  }
}
