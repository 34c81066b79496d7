/**
 * Folds a log into views, tick after tick. Rows are written once a part of the log and not once a tick, so that one which
 * is made and changed within a part costs a single write. The views are the same however the log is parted. Before a part is
 * written, the signature of its last tick is verified, so no view ever holds what the node has not signed.
 */
import { CarillonError } from '../errors/CarillonError.js'
import { EventDecoder } from '../log/EventDecoder.js'
import type { DomainEvent } from '../log/events.js'
import { headAfter, joinedLines, type EncodedTick, type Head } from '../log/Tick.js'
import { signerEventsOf } from '../log/SignerTracker.js'
import { assertHasSignature, assertSigned, faultOfOwnChange, type TickSigner } from '../log/TickSigner.js'
import { toMillis } from '../time/Instant.js'
import { assertFollows } from './assertFollows.js'
import type { StoredViews } from './StoredViews.js'

/** Throws unless the tick's changes of the node's own key are signed by both keys. */
const assertChange = (tick: EncodedTick, signer: TickSigner | undefined, party: string | null): void => {
  if (signer === undefined) return
  for (const event of signerEventsOf(tick)) {
    if (event.type !== 'KeyChanged') continue
    // What other parties sign with is the business of the network map.
    const fault = event.change.party === party ? faultOfOwnChange(signer, event.change) : undefined
    if (fault === undefined) continue
    throw new CarillonError('tick-forged', `Tick ${tick.number} changes the key of the node, and ${fault}.`, {
      tick: tick.number,
      revision: tick.firstRevision,
    })
  }
}

const noSigner = ({ number, firstRevision }: EncodedTick): CarillonError =>
  new CarillonError(
    'log-undecodable',
    `The log does not begin with the start of a node, so nobody knows whose signature tick ${number} should bear. It is not a log that Carillon has written.`,
    { tick: number, revision: firstRevision },
  )

export class LogFold {
  readonly #views: StoredViews
  readonly #decoder = new EventDecoder()
  #bytes = 0
  /** The last tick that was folded, as long as its signature was not looked at. */
  #unverified: EncodedTick | undefined

  constructor(views: StoredViews) {
    this.#views = views
  }

  /** How much has gathered. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether so much has gathered that it should be written, and committed. */
  get isFull(): boolean {
    return this.#bytes >= this.#views.limits.foldedBytesPerCommit
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
    this.#expectSignature(tick)
    this.#views.facts.advanceTo(headAfter(tick), atMs)
    this.#gathered(tick)
  }

  #stopWithin(tick: EncodedTick, revision: number, atMs: number): void {
    this.#expectSignature(tick)
    this.#views.facts.stopWithin(revision, atMs)
    this.#gathered(tick)
  }

  /** The signature of the last tick authenticates all before it, since the running hashes are chained. */
  #expectSignature(tick: EncodedTick): void {
    assertHasSignature(tick)
    this.#unverified = tick
    const { now } = this.#views.facts
    // Whoever could add a tick unseen that changes the key could sign all that follow.
    const changes = now.signers.some(({ fromTick }) => fromTick > tick.number)
    if (changes) assertChange(tick, this.#verify(), now.partyKey)
  }

  /** Verifies the last tick that was folded, and gives what it is signed with. */
  #verify(): TickSigner | undefined {
    const tick = this.#unverified
    if (tick === undefined) return undefined
    const { facts } = this.#views
    const expected = facts.signerOf(tick.number)
    if (expected === undefined) throw noSigner(tick)
    assertSigned(
      tick,
      expected,
      facts.now.signers.filter(({ fromTick }) => fromTick <= tick.number).map(({ key }) => key),
    )
    this.#unverified = undefined
    return expected
  }

  #gathered(tick: EncodedTick): void {
    this.#bytes += joinedLines(tick.events).length + 1
  }

  /** Writes all that has gathered. */
  write(): void {
    if (this.#bytes === 0) return
    this.#verify()
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
    this.#unverified = undefined
    this.#bytes = 0
  }
}
