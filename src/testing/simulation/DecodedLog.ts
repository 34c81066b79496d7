/**
 * One party's log, decoded once for all who look at it: the same text is the same event. What stands in the place of an
 * event that never became durable is another text, and is decoded anew.
 */
import { decodeEvent } from '../../log/decodeEvent.js'
import type { DomainEvent } from '../../log/events.js'
import type { EncodedTick } from '../../log/Tick.js'
import type { LoggedEvent } from '../NodeInspection.js'

export class DecodedLog {
  /** By revision. */
  readonly #known: { readonly line: string; readonly event: DomainEvent }[] = []

  readonly decode: typeof decodeEvent = (line, revision) => {
    const known = this.#known[revision]
    if (known?.line === line) return known.event
    const event = decodeEvent(line, revision)
    this.#known[revision] = { line, event }
    return event
  }

  /** Everything that the ticks say, in order. */
  async read(ticks: AsyncIterable<EncodedTick>): Promise<readonly LoggedEvent[]> {
    const events: LoggedEvent[] = []
    for await (const { events: lines, firstRevision, at } of ticks)
      lines.forEach((line, index) => {
        const revision = firstRevision + index
        events.push({ revision, at, event: this.decode(line, revision) })
      })
    return events
  }
}
