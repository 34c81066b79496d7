/**
 * Folds a log into views, tick after tick. Rows are written once a part of the log and not once a tick, so that one which
 * is made and changed within a part costs a single write. The views are the same however the log is parted.
 */
import { CarillonError } from '../../errors/CarillonError.js'
import { limits } from '../../limits.js'
import { EventDecoder } from '../../log/EventDecoder.js'
import type { DomainEvent } from '../../log/events.js'
import { hashAfterTick, headAfter, linesOf, type EncodedTick, type Head } from '../../log/Tick.js'
import { toMillis } from '../../time/Instant.js'
import type { Views } from '../../views/Views.js'

/** A tick that does not follow from the ones before it must not become views. */
export const assertFollows = (head: Head, tick: EncodedTick): void => {
  const follows = tick.number === head.tick + 1 && tick.firstRevision === head.revision + 1
  if (follows && hashAfterTick(head.hash, tick) === tick.hash) return
  throw new CarillonError(
    'log-altered',
    `Tick ${tick.number} of the log does not follow from revision ${head.revision}: the log was altered. Run "carillon log verify" to see what was changed, and restore the log from a backup or an export.`,
    { tick: tick.number, revision: tick.firstRevision },
  )
}

export class LogFold {
  readonly #views: Views
  readonly #decoder = new EventDecoder()
  #bytes = 0

  constructor(views: Views) {
    this.#views = views
  }

  /** Whether so much has gathered that it should be written, and committed. */
  get isFull(): boolean {
    return this.#bytes >= limits.foldedBytesPerCommit
  }

  /** Applies a tick that follows. The caller holds the database's transaction. */
  fold(tick: EncodedTick): void {
    this.foldUpTo(tick, headAfter(tick).revision, this.#views.facts.now.head)
  }

  /**
   * Applies a tick that follows `before`, up to a revision that may lie within it. The views may stand within it already;
   * then only what is left of it is applied.
   */
  foldUpTo(tick: EncodedTick, revision: number, before: Head): void {
    assertFollows(before, tick)
    const { facts } = this.#views
    const atMs = toMillis(tick.at)
    const last = headAfter(tick).revision
    const until = Math.min(last, revision)
    // Decoded one by one: an event that was folded is garbage before the next one is read, and costs the collector nothing.
    for (let place = facts.now.head.revision + 1; place <= until; place++)
      this.#views.fold(this.#decoder.decode(tick.events[place - tick.firstRevision] ?? '', place), place, atMs)
    if (until === last) this.#close(tick, atMs)
    else this.#stopWithin(tick, until, atMs)
  }

  /** As {@link fold}, with a tick that was checked and decoded before. */
  foldEvents(tick: EncodedTick, events: readonly DomainEvent[]): void {
    const atMs = toMillis(tick.at)
    events.forEach((event, index) => {
      this.#views.fold(event, tick.firstRevision + index, atMs)
    })
    this.#close(tick, atMs)
  }

  #close(tick: EncodedTick, atMs: number): void {
    this.#views.facts.advanceTo(headAfter(tick), atMs)
    this.#gathered(tick)
  }

  #stopWithin(tick: EncodedTick, revision: number, atMs: number): void {
    this.#views.facts.stopWithin(revision, atMs)
    this.#gathered(tick)
  }

  #gathered(tick: EncodedTick): void {
    this.#bytes += linesOf(tick.events).length + 1
  }

  /** Writes all that has gathered. */
  write(): void {
    if (this.#bytes === 0) return
    this.#views.write()
    this.#bytes = 0
  }

  /**
   * To be called when what was written is committed, or will never be rolled back without the views being dropped: rows
   * that a rollback would take back are let go as if they stood.
   */
  committed(): void {
    this.#views.committedFold()
  }

  /** No more is to be folded for now: what was kept in memory for that is let go. */
  over(): void {
    this.#views.committed()
  }

  /** To be called when the views were rolled back, and what has gathered with them. */
  rolledBack(): void {
    this.#bytes = 0
  }
}
