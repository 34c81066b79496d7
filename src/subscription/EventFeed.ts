/**
 * The public events of a log, tick by tick, for any number of readers. Recent ticks are kept, and decoded once for all who
 * follow live. A tick that has become durable is only put on the list; readers are told of it after the node's tick, all in
 * one go, so that they cost it nothing.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { CarillonError } from '../errors/CarillonError.js'
import { holdsEvent, type TakenEvent } from '../log/holdsEvent.js'
import { joinedLines, type EncodedTick, type Head } from '../log/Tick.js'
import { FeedReader } from './FeedReader.js'
import { subscriptionLimits } from './limits.js'
import { freely, type Pace } from './Pace.js'
import { PublishedTick } from './PublishedTick.js'

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

const sizeOf = ({ events }: EncodedTick): number => joinedLines(events).length

export class EventFeed {
  readonly #source: EventSource
  /** The newest ticks, one after the other without a gap. */
  readonly #recent: PublishedTick[] = []
  #recentCharacters = 0
  /** Readers that have read everything, in the order in which they are told of news. */
  readonly #waiting = new Set<FeedReader>()
  /** How many of them, from the first on, are still to be told of the newest tick. */
  #untold = 0
  #isTelling = false
  #readers = 0
  #unfollow: () => void = () => undefined
  #stopped: CarillonError | undefined
  #turn: Promise<void> = Promise.resolve()

  constructor(source: EventSource) {
    this.#source = source
    source.whenStopped((reason) => {
      this.#stopped = reason
      for (const reader of this.#waiting) this.#tellOne(reader)
    })
  }

  get head(): Head {
    return this.#source.head()
  }

  /** Why there will be no more events. */
  get stopped(): CarillonError | undefined {
    return this.#stopped
  }

  /** Whether the log holds an event that was taken before. */
  holds(taken: TakenEvent): Promise<boolean> {
    return holdsEvent(this.#source.read, taken)
  }

  /** Every tick that holds a revision from `from` on. Ends when the signal is aborted, or the node stops. */
  async *ticks(from: number, signal: AbortSignal, pace: Pace = freely): AsyncGenerator<PublishedTick, void, undefined> {
    const reader = this.#open(from, signal, pace)
    try {
      for (let tick = await reader.next(); tick !== undefined; tick = await reader.next()) yield tick
    } finally {
      this.#close(reader)
    }
  }

  /** The same, called back with: the next tick when the call before has returned, or what it returned has resolved. */
  async each(from: number, signal: AbortSignal, take: (tick: PublishedTick) => void | Promise<void>): Promise<void> {
    const reader = this.#open(from, signal, freely)
    try {
      for (;;) {
        // No promise is made where none is needed: with many readers these would be most of the work.
        const asked = reader.next()
        const tick = asked instanceof Promise ? await asked : asked
        if (tick === undefined) return
        const taken = take(tick)
        if (taken !== undefined) await taken
      }
    } finally {
      this.#close(reader)
    }
  }

  /** The log, from the tick that holds a revision. */
  read(from: number): AsyncIterator<EncodedTick> {
    return this.#source.read(from)[Symbol.asyncIterator]()
  }

  /** The recent tick that holds a revision. */
  recent(revision: number): PublishedTick | undefined {
    const first = this.#recent[0]
    if (first === undefined || revision < first.tick.firstRevision) return undefined
    let low = 0
    let high = this.#recent.length - 1
    while (low <= high) {
      const middle = (low + high) >> 1
      const candidate = this.#recent[middle]
      if (candidate === undefined) return undefined
      if (revision < candidate.tick.firstRevision) high = middle - 1
      else if (revision > candidate.lastRevision) low = middle + 1
      else return candidate
    }
    return undefined
  }

  /** Tells a reader once, after the next tick or when there will be none. */
  wait(reader: FeedReader): void {
    this.#waiting.add(reader)
  }

  waitNoLonger(reader: FeedReader): void {
    this.#waiting.delete(reader)
  }

  /** Resolves in a turn of the event loop that no other reader has, so that many of them hold up the node no more than one. */
  ownTurn(): Promise<void> {
    this.#turn = this.#turn.then(() => turn())
    return this.#turn
  }

  #open(from: number, signal: AbortSignal, pace: Pace): FeedReader {
    this.#readers += 1
    if (this.#readers === 1) this.#unfollow = this.#source.follow(({ tick }) => this.#add(tick))
    return new FeedReader(this, from, signal, pace)
  }

  #close(reader: FeedReader): void {
    reader.close()
    this.#readers -= 1
    if (this.#readers > 0) return
    this.#unfollow()
    this.#recent.length = 0
    this.#recentCharacters = 0
  }

  /** Called inside the node's tick: nothing here depends on how many readers there are. */
  #add(tick: EncodedTick): void {
    this.#recent.push(new PublishedTick(tick))
    this.#recentCharacters += sizeOf(tick)
    while (this.#recentCharacters > subscriptionLimits.recentCharacters && this.#recent.length > 1) {
      const oldest = this.#recent.shift()
      if (oldest !== undefined) this.#recentCharacters -= sizeOf(oldest.tick)
    }
    this.#untold = this.#waiting.size
    this.#tellSoon()
  }

  #tellSoon(): void {
    if (this.#isTelling || this.#untold === 0) return
    this.#isTelling = true
    setImmediate(() => {
      this.#isTelling = false
      this.#tell()
    })
  }

  /** Tells as many as make up one turn's work; the others have the next turn. */
  #tell(): void {
    const events = this.#recent.at(-1)?.tick.events.length ?? 1
    let left = Math.max(1, Math.floor(subscriptionLimits.eventsPerTurn / events))
    for (const reader of this.#waiting) {
      if (left === 0 || this.#untold === 0) break
      left -= 1
      this.#untold -= 1
      this.#tellOne(reader)
    }
    if (left > 0) this.#untold = 0
    this.#tellSoon()
  }

  #tellOne(reader: FeedReader): void {
    this.#waiting.delete(reader)
    reader.tell()
  }
}
