/** A log of which a feed is made, without a node: it grows when it is told to. */
import { canonicalText } from '../../src/encoding/canonical.js'
import { instant, type CarillonError } from '../../src/index.js'
import { emptyHead, headAfter, tickAfter, type EncodedTick } from '../../src/log/Tick.js'
import { EventFeed } from '../../src/subscription/EventFeed.js'
import { signed } from '../log/signing.js'

export const eventsPerTick = 5
const at = instant('2030-01-01T00:00:00.000Z')
const lines = Array.from({ length: eventsPerTick }, () => canonicalText({ type: 'NodeStopped' }))

/** A log that grows when it is told to. */
export class GrowingLog {
  readonly ticks: EncodedTick[] = []
  readonly #followers = new Set<(committed: { readonly tick: EncodedTick }) => void>()
  #stopped: (reason: CarillonError) => void = () => undefined
  /** Called after somebody has looked where it ends. */
  onLook: () => void = () => undefined

  readonly feed = new EventFeed({
    head: () => {
      const { head } = this
      this.onLook()
      return head
    },
    read: (from) => this.#read(from),
    follow: (follower) => {
      this.#followers.add(follower)
      return () => this.#followers.delete(follower)
    },
    whenStopped: (callback) => (this.#stopped = callback),
  })

  get head() {
    const last = this.ticks.at(-1)
    return last === undefined ? emptyHead : headAfter(last)
  }

  /** A tick becomes durable, and the node tells those who follow it. */
  tick(): void {
    const tick = tickAfter(this.head, at, lines, signed)
    this.ticks.push(tick)
    for (const follower of this.#followers) follower({ tick })
  }

  /** The node has failed, or was stopped. */
  stop(reason: CarillonError): void {
    this.#stopped(reason)
  }

  async *#read(from: number): AsyncGenerator<EncodedTick, void, undefined> {
    for (const tick of this.ticks) {
      if (tick.firstRevision + tick.events.length <= from) continue
      yield await Promise.resolve(tick)
    }
  }
}
