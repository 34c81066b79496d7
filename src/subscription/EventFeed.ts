/**
 * The public events of a log, tick by tick, from any revision on: first those that are in the log, then live, without a gap
 * and without a repeat. Each reader asks for the next tick when it is ready for it, so a slow reader costs nothing but its
 * own lag. Recent ticks are decoded once for all who follow live.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { Hash } from '../encoding/hash.js'
import type { CarillonError } from '../errors/CarillonError.js'
import { decodeEvent } from '../log/decodeEvent.js'
import { publicEventOf, type PublicEvent } from '../log/PublicEvent.js'
import { headAfter, linesOf, type EncodedTick, type Head } from '../log/Tick.js'
import { subscriptionLimits } from './limits.js'

/** What a feed needs of a node. */
export type EventSource = {
  /** Where the durable log ends. */
  readonly head: () => Head
  /** The durable log, from the tick that holds a revision. */
  readonly read: (fromRevision: number) => AsyncIterable<EncodedTick>
  /** Calls back with every tick once it is durable. */
  readonly follow: (follower: (committed: { readonly tick: EncodedTick }) => void) => () => void
  readonly whenStopped: (callback: (reason: CarillonError) => void) => void
}

/** The public events of one tick. */
export class PublishedTick {
  readonly tick: EncodedTick
  #events: readonly PublicEvent[] | undefined

  constructor(tick: EncodedTick) {
    this.tick = tick
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
      if (body !== undefined) published.push({ revision, tick: number, at, hash, ...body })
    }
    return published
  }
}

const sizeOf = ({ events }: EncodedTick): number => linesOf(events).length

export class EventFeed {
  readonly #source: EventSource
  /** The newest ticks, one after the other without a gap. */
  readonly #recent: PublishedTick[] = []
  #recentCharacters = 0
  readonly #waiting = new Set<() => void>()
  #readers = 0
  #unfollow: () => void = () => undefined
  #stopped: CarillonError | undefined

  constructor(source: EventSource) {
    this.#source = source
    source.whenStopped((reason) => {
      this.#stopped = reason
      this.#wake()
    })
  }

  get head(): Head {
    return this.#source.head()
  }

  /** Why there will be no more events. */
  get stopped(): CarillonError | undefined {
    return this.#stopped
  }

  /** The running hash after the tick whose last event has this revision; undefined when no tick ends there. */
  async hashAt(revision: number): Promise<Hash | undefined> {
    for await (const tick of this.#source.read(revision)) {
      const head = headAfter(tick)
      return head.revision === revision ? head.hash : undefined
    }
    return undefined
  }

  /** Every tick that holds a revision from `from` on. Ends when the signal is aborted, or the node stops. */
  async *ticks(from: number, signal: AbortSignal): AsyncGenerator<PublishedTick, void, undefined> {
    this.#enter()
    try {
      let next = from
      while (!signal.aborted) {
        const recent = this.#find(next)
        if (recent !== undefined) {
          yield recent
          next = recent.head.revision + 1
        } else if (next <= this.head.revision && this.#stopped === undefined) {
          for await (const tick of this.#catchUp(next, signal)) {
            yield tick
            next = tick.head.revision + 1
          }
        } else if (this.#stopped !== undefined) return
        else await this.#news(signal)
      }
    } finally {
      this.#leave()
    }
  }

  /** Reads the log until the recent ticks go on from there. */
  async *#catchUp(from: number, signal: AbortSignal): AsyncGenerator<PublishedTick, void, undefined> {
    let sinceTurn = 0
    for await (const tick of this.#source.read(from)) {
      const published = new PublishedTick(tick)
      yield published
      if (signal.aborted || this.#stopped !== undefined || this.#find(published.head.revision + 1) !== undefined) return
      sinceTurn += tick.events.length
      if (sinceTurn < subscriptionLimits.eventsPerTurn) continue
      sinceTurn = 0
      await turn()
    }
  }

  #enter(): void {
    this.#readers += 1
    if (this.#readers > 1) return
    this.#unfollow = this.#source.follow(({ tick }) => {
      this.#recent.push(new PublishedTick(tick))
      this.#recentCharacters += sizeOf(tick)
      while (this.#recentCharacters > subscriptionLimits.recentCharacters && this.#recent.length > 1) {
        const [oldest] = this.#recent.splice(0, 1)
        if (oldest !== undefined) this.#recentCharacters -= sizeOf(oldest.tick)
      }
      this.#wake()
    })
  }

  #leave(): void {
    this.#readers -= 1
    if (this.#readers > 0) return
    this.#unfollow()
    this.#recent.length = 0
    this.#recentCharacters = 0
  }

  /** The recent tick that holds a revision. */
  #find(revision: number): PublishedTick | undefined {
    const first = this.#recent[0]
    if (first === undefined || revision < first.tick.firstRevision) return undefined
    let low = 0
    let high = this.#recent.length - 1
    while (low <= high) {
      const middle = (low + high) >> 1
      const candidate = this.#recent[middle]
      if (candidate === undefined) return undefined
      if (revision < candidate.tick.firstRevision) high = middle - 1
      else if (revision > candidate.head.revision) low = middle + 1
      else return candidate
    }
    return undefined
  }

  #news(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#waiting.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      this.#waiting.add(done)
      signal.addEventListener('abort', done)
      if (signal.aborted) done()
    })
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake()
  }
}
