/**
 * One reader's way along a feed: what is in the log, then what is recorded meanwhile, without a gap and without a repeat. It is
 * given a tick when it asks for one, so a slow reader costs nothing but its own lag.
 */
import type { EncodedTick } from '../log/Tick.js'
import type { EventFeed } from './EventFeed.js'
import { subscriptionLimits } from './limits.js'
import type { Pace } from './Pace.js'
import { PublishedTick } from './PublishedTick.js'

export class FeedReader {
  readonly #feed: EventFeed
  readonly #signal: AbortSignal
  readonly #pace: Pace
  /** The revision that comes next. */
  #next: number
  /** The log, while it is read from there. */
  #log: AsyncIterator<EncodedTick> | undefined
  /** Events since others last had their turn. */
  #sinceTurn = 0
  #hasEnded: boolean
  /** Ends the wait for news. */
  #goOn: () => void = () => undefined

  constructor(feed: EventFeed, from: number, signal: AbortSignal, pace: Pace) {
    this.#feed = feed
    this.#next = from
    this.#signal = signal
    this.#pace = pace
    this.#hasEnded = signal.aborted
    signal.addEventListener('abort', this.#end)
  }

  /** The next tick: at once when it is at hand. Undefined when the signal is aborted, or the node has stopped. */
  next(): PublishedTick | undefined | Promise<PublishedTick | undefined> {
    if (this.#hasEnded) return undefined
    const recent = this.#feed.recent(this.#next)
    if (recent === undefined || this.#log !== undefined || this.#hasHadItsTurn) return this.#find()
    return this.#take(recent)
  }

  /** There is news, or there will be none any more. */
  tell(): void {
    this.#goOn()
  }

  close(): void {
    this.#signal.removeEventListener('abort', this.#end)
    this.#endLog()
  }

  get #hasHadItsTurn(): boolean {
    return this.#sinceTurn >= subscriptionLimits.eventsPerTurn
  }

  async #find(): Promise<PublishedTick | undefined> {
    if (this.#hasHadItsTurn) await this.#letOthersGo()
    while (!this.#hasEnded) {
      const recent = this.#feed.recent(this.#next)
      if (recent !== undefined) {
        this.#endLog()
        return this.#take(recent)
      }
      if (this.#feed.stopped !== undefined) return undefined
      if (this.#next > this.#feed.head.revision) {
        this.#endLog()
        this.#sinceTurn = 0
        await new Promise(this.#waitForNews)
        continue
      }
      const read = await this.#readLog()
      if (read !== undefined) return this.#take(read)
    }
    return undefined
  }

  #take(tick: PublishedTick): PublishedTick {
    this.#next = tick.lastRevision + 1
    this.#sinceTurn += tick.tick.events.length
    return tick
  }

  async #letOthersGo(): Promise<void> {
    await this.#feed.ownTurn()
    this.#sinceTurn = 0
  }

  async #readLog(): Promise<PublishedTick | undefined> {
    // Many that begin at once must not read all at once either.
    if (this.#log === undefined) await this.#letOthersGo()
    try {
      const log = (this.#log ??= this.#feed.read(this.#next))
      const read = await this.#pace.work(() => log.next())
      if (read.done !== true) return new PublishedTick(read.value)
    } catch (error) {
      // The stop of a node closes its log, also before those who read it.
      if (this.#feed.stopped === undefined) throw error
    }
    this.#log = undefined
    return undefined
  }

  #endLog(): void {
    // Whoever has read enough need not know how the reading ended.
    this.#log?.return?.().catch(() => undefined)
    this.#log = undefined
  }

  readonly #waitForNews = (resolve: (value?: undefined) => void): void => {
    this.#goOn = resolve
    this.#feed.wait(this)
  }

  readonly #end = (): void => {
    this.#hasEnded = true
    this.#feed.waitNoLonger(this)
    this.#goOn()
  }
}
