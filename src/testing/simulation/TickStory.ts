/**
 * What a tick tells that a reader of a history wants to know: activities that begin, and flows that come to a bad end.
 */
import { showLateness } from '../../agenda/why.js'
import type { EncodedTick } from '../../log/Tick.js'

type Line = {
  readonly type: string
  readonly flow?: string
  readonly name?: string
  readonly outcome?: string
  readonly origin?: { readonly kind: string; readonly latenessMs?: number; readonly cause?: string }
  readonly error?: { readonly message?: string }
}

const told = /"type":"(FlowStarted|FlowEnded|FlowParked)"/

export class TickStory {
  readonly #names = new Map<string, string>()

  /** The sentences of a tick of a party, in order; none for most ticks. */
  tell(party: string, { events }: EncodedTick): readonly string[] {
    const sentences: string[] = []
    for (const text of events) {
      if (!told.test(text)) continue
      const { type, flow = '', name = '', outcome, origin, error } = JSON.parse(text) as Line
      const which = `${this.#names.get(flow) ?? name} (${flow.slice(0, 8)})`
      if (type === 'FlowStarted') {
        this.#names.set(flow, name)
        if (origin?.kind === 'activity')
          sentences.push(`${party} starts ${which}, ${showLateness(origin.latenessMs ?? 0)}`)
      } else if (type === 'FlowParked') sentences.push(`${which} of ${party} is parked: ${error?.message ?? ''}`)
      else if (outcome === 'failed') sentences.push(`${which} of ${party} fails: ${error?.message ?? ''}`)
    }
    return sentences
  }
}
