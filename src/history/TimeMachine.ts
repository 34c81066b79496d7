/**
 * The world as a node saw it, at any moment of its log: go to a revision or an instant, step from tick to tick, and ask
 * what a node can be asked. It reads the log and never writes to it.
 */
import { CarillonError } from '../errors/CarillonError.js'
import type { FlowDetails } from '../flow/FlowSummary.js'
import type { FlowId } from '../log/FlowId.js'
import { showRef, type StateRef } from '../ledger/StateRef.js'
import { emptyHead, headAfter, type EncodedTick } from '../log/Tick.js'
import { revisionUnknown } from '../log/revisionUnknown.js'
import type { Why } from '../agenda/why.js'
import type { Database } from '../storage/Database.js'
import { digestViews } from '../storage/digest.js'
import { diffSince, placeOf, removeComparison, setComparison } from '../storage/queries/diffViews.js'
import { explainState } from '../storage/queries/explainState.js'
import { findFlow } from '../storage/queries/readFlows.js'
import { ViewQuestions } from '../storage/queries/ViewQuestions.js'
import type { WorldDiff } from '../storage/queries/WorldDiff.js'
import { TemporaryViews } from '../storage/TemporaryViews.js'
import { instantFromMillis, type Instant } from '../time/Instant.js'
import { revisionAt, type Moment } from './moment.js'

/** Whatever gives the ticks of a log: an {@link EventLog}, a store, or a node's `readLog`. */
export type LogSource = { readonly read: (fromRevision: number) => AsyncIterable<EncodedTick> }

/** How much of a difference is listed. */
export type DiffOptions = {
  readonly from: Moment
  readonly to: Moment
  /** Items of each list; default 100. */
  readonly limit?: number
}

/**
 * The world as a node saw it at some moment. Close it when it is no longer needed. Whoever asks while it is on its way
 * sees one moment: on the way forward the last it has passed, on the way back the one it comes from. A way that cannot be
 * gone to its end, because the log does not answer, leaves it where it was.
 */
export class TimeMachine extends ViewQuestions {
  readonly #source: LogSource
  readonly #onProgress: ((events: number) => void) | undefined
  #past = new TemporaryViews()
  /** What takes the place of the past, when it is all there. */
  #coming: TemporaryViews | undefined
  /** Ends when the last of those that move the machine has ended: they go one after the other. */
  #lastMove: Promise<unknown> = Promise.resolve()

  private constructor(source: LogSource, onProgress?: (events: number) => void) {
    super()
    this.#source = source
    this.#onProgress = onProgress
  }

  /** Opens a machine at a moment; before the first event when none is given. */
  static async at(
    source: LogSource,
    moment: Moment = emptyHead.revision,
    { onProgress }: { readonly onProgress?: (events: number) => void } = {},
  ): Promise<TimeMachine> {
    const machine = new TimeMachine(source, onProgress)
    try {
      await machine.goTo(moment)
      return machine
    } catch (error) {
      machine.close()
      throw error
    }
  }

  /** @internal */
  protected get db(): Database {
    return this.#past.db
  }

  /** The last revision that has happened; -1 before the first. */
  get revision(): number {
    return this.#past.revision
  }

  /** The instant of its tick; undefined before the first event. */
  get now(): Instant | undefined {
    return this.#past.atMs === undefined ? undefined : instantFromMillis(this.#past.atMs)
  }

  /** Goes to a moment: right after a revision, or after the last tick at or before an instant. */
  goTo(moment: Moment): Promise<void> {
    return this.#inTurn(() => this.#goTo(moment))
  }

  /** One tick on, or several; false when the log ends before that, and then at its end. */
  forward(ticks = 1): Promise<boolean> {
    return this.#inTurn(async () => {
      let left = ticks
      let revision = this.revision
      for await (const tick of this.#source.read(this.revision + 1)) {
        if (left === 0) break
        left -= 1
        revision = headAfter(tick).revision
      }
      await this.#goTo(revision)
      return left === 0
    })
  }

  /** One tick back, or several; false when there are fewer, and then before the first. The log is folded anew up to there. */
  back(ticks = 1): Promise<boolean> {
    return this.#inTurn(async () => {
      const ends: number[] = [emptyHead.revision]
      for await (const tick of this.#source.read(0)) {
        const end = headAfter(tick).revision
        if (end >= this.revision) break
        ends.push(end)
        if (ends.length > ticks) ends.shift()
      }
      const isThere = this.revision >= 0 && ends.length === ticks
      await this.#goTo(ends[0] ?? emptyHead.revision)
      return isThere
    })
  }

  /** Why a state's activity had run, had not run, or would run. */
  why(ref: StateRef): Why {
    const why = explainState(this.db, ref)
    if (why === undefined)
      throw new CarillonError('state-unknown', `There was no state ${showRef(ref)} yet.`, { ref: showRef(ref) })
    return why
  }

  /** One flow with its record so far. */
  flow(id: FlowId): FlowDetails | undefined {
    return findFlow(this.db, id)
  }

  /** A digest of everything the views held. */
  digest(): string {
    return digestViews(this.db)
  }

  /** What is different between two moments; the machine is then at the later one. */
  diff({ from, to, limit }: DiffOptions): Promise<WorldDiff> {
    return this.#inTurn(async () => {
      const [first, last] = [await revisionAt(this.#source.read(0), from), await revisionAt(this.#source.read(0), to)]
      if (first > last)
        throw new CarillonError(
          'revision-unknown',
          `The difference is from an earlier moment to a later one; revision ${first} is not before revision ${last}. Exchange the two.`,
          { from: first, to: last },
        )
      await this.#goTo(first)
      const mark = setComparison(this.db, placeOf(this.revision, this.#past.atMs))
      try {
        await this.#goTo(last)
        return diffSince(this.db, mark, placeOf(this.revision, this.#past.atMs), limit)
      } finally {
        removeComparison(this.db)
      }
    })
  }

  close(): void {
    this.#past.close()
    this.#coming?.close()
  }

  #inTurn<A>(move: () => Promise<A>): Promise<A> {
    const moved = this.#lastMove.then(move)
    // Whoever has asked for it hears of a failure; the next one only waits.
    this.#lastMove = moved.catch(() => undefined)
    return moved
  }

  async #goTo(moment: Moment): Promise<void> {
    const revision = await revisionAt(this.#source.read(0), moment)
    if (!Number.isSafeInteger(revision) || revision < emptyHead.revision) throw revisionUnknown(revision, this.revision)
    if (revision < this.revision) await this.#goBackTo(revision)
    else await this.#past.foldTo(this.#source.read(this.revision + 1), revision, this.#onProgress)
    if (this.revision < revision) throw revisionUnknown(revision, this.revision)
  }

  async #goBackTo(revision: number): Promise<void> {
    const earlier = new TemporaryViews()
    this.#coming = earlier
    try {
      await earlier.foldTo(this.#source.read(0), revision, this.#onProgress)
    } catch (error) {
      earlier.close()
      throw error
    } finally {
      this.#coming = undefined
    }
    this.#past.close()
    this.#past = earlier
  }
}
