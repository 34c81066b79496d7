/**
 * Checks a log tick by tick: each tick by itself, its place after the one before, its signature, and the checkpoints that
 * others keep of it. It remembers the last tick and nothing else, so a log of any length can be checked.
 */
import { leafHash } from '../encoding/merkle.js'
import { emptyRange, grow, rangeRoot, type MountainRange } from '../encoding/MountainRange.js'
import { verifyCheckpoint, type Checkpoint } from '../log/Checkpoint.js'
import type { PublicKey } from '../identity/PublicKey.js'
import type { DomainEvent } from '../log/events.js'
import { SignerTracker } from '../log/SignerTracker.js'
import { emptyHead, headAfter, type EncodedTick, type Head } from '../log/Tick.js'
import type { FoundProblem, LogFault, Report } from './LogProblem.js'
import { rangeText } from './LogProblem.js'
import { PlaceChecker } from './PlaceChecker.js'
import { checkTickSignature, TickChecker } from './TickChecker.js'
import { isVouchedFor, type Vouch } from './vouch.js'

export type CheckedTick = {
  /** The events as decoded; undefined in the place of one that cannot be, or was not asked for. None if vouched for. */
  readonly events: readonly (DomainEvent | undefined)[]
  readonly problems: readonly FoundProblem[]
}

/** What a log is checked against. */
export type LogCheckerOptions = {
  /** Whether every event is decoded too, as a rebuild of the views would. Takes several times as long. */
  readonly decode?: boolean
  /** Checkpoints of this log that were kept elsewhere: the log must hold them all. */
  readonly checkpoints?: readonly Checkpoint[]
  /** A key that must have signed the log, at its start or since a change of key. Default: whichever it names. */
  readonly by?: PublicKey
}

export class LogChecker {
  readonly #inTick: TickChecker
  /** Checkpoints that the log has not reached yet, the first to come last. */
  readonly #given: Checkpoint[]
  readonly #by: PublicKey | undefined
  readonly #places = new PlaceChecker()
  readonly #signers = new SignerTracker()
  #head: Head = emptyHead
  #range: MountainRange = emptyRange
  #ticks = 0
  #events = 0
  #transactions = 0
  #confirmed = emptyHead.revision
  /** The key that has signed the last tick. */
  #lastKey: PublicKey | undefined

  constructor({ decode = false, checkpoints = [], by }: LogCheckerOptions = {}) {
    this.#inTick = new TickChecker(decode)
    this.#given = [...checkpoints].sort((a, b) => a.revision - b.revision).reverse()
    this.#by = by
  }

  get head(): Head {
    return this.#head
  }

  /** The key that signs the log at its end. */
  get signedBy(): PublicKey | undefined {
    return this.#signers.keys.at(-1)
  }

  get counts(): { readonly ticks: number; readonly events: number; readonly transactions: number } {
    return { ticks: this.#ticks, events: this.#events, transactions: this.#transactions }
  }

  /**
   * Checks the tick that comes next. What follows a problem is checked as if the log had meant what it says. A tick
   * that someone has vouched for, after the very tick that came before, is only put in its place.
   */
  check(tick: EncodedTick, vouch?: Vouch): CheckedTick {
    const problems: FoundProblem[] = []
    const reportAt = reportInto(problems)
    this.#places.check(this.#head, tick, reportAt(tick.firstRevision), vouch !== undefined)
    const found = vouch ?? this.#inTick.read(tick, reportAt)
    const { proofs, transactions } = found
    this.#transactions += transactions
    // Only a tick that begins with the start of a node says who signs from there on.
    const isUnknown = this.#signers.party === undefined && proofs[0]?.revision !== tick.firstRevision
    // A key that this tick changes to is none that was retired before.
    const keys = [...this.#signers.keys]
    const signer = this.#signers.next(isUnknown ? [] : proofs.map(({ event }) => event), (event, what) => {
      const place = proofs.find((proof) => proof.event === event)?.revision
      reportAt(place ?? tick.firstRevision)('forged', what)
    })
    if (vouch === undefined || !isVouchedFor(vouch, signer, this.#signers)) {
      const read = 'recorded' in found ? found : this.#inTick.read(tick, reportAt)
      checkTickSignature(
        tick,
        read,
        signer,
        {
          contextOf: (by) => this.#signers.contextOf(by),
          keys,
          party: this.#signers.party,
        },
        reportAt,
      )
    }
    this.#lastKey = signer?.key
    this.#head = headAfter(tick)
    this.#range = grow(this.#range, leafHash(tick.hash))
    this.#ticks += 1
    this.#events += tick.events.length
    this.#checkGiven(reportAt)
    return { events: 'events' in found ? found.events : [], problems }
  }

  /** To be called after the last tick: what should have followed it. */
  end(): readonly FoundProblem[] {
    const problems: FoundProblem[] = []
    const report = reportInto(problems)(this.#head.revision + 1)
    for (const checkpoint of this.#given.toReversed()) {
      const fault = this.#signatureFault(checkpoint)
      const cut = `the log ends at revision ${this.#head.revision}, and there is a checkpoint of it at revision ${checkpoint.revision}: ${rangeText(this.#head.revision + 1, checkpoint.revision)} are cut off`
      report(...(fault ?? ['cut-off', cut]))
    }
    if (this.#by !== undefined && this.#ticks > 0 && !this.#signers.keys.includes(this.#by))
      reportInto(problems)(0)('forged', `the log is signed by ${this.signedBy ?? 'nobody'}, and never by ${this.#by}`)
    return problems
  }

  /** Checkpoints that were given, as soon as the log has come so far. */
  #checkGiven(reportAt: (revision: number) => Report): void {
    for (let next = this.#given.at(-1); next !== undefined; next = this.#given.at(-1)) {
      if (next.revision > this.#head.revision) return
      this.#given.pop()
      const fault = this.#faultOf(next)
      if (fault === undefined) this.#confirmed = next.revision
      else reportAt(Math.min(this.#confirmed + 1, next.revision))(...fault).untilRevision = next.revision
    }
  }

  #signatureFault(checkpoint: Checkpoint): readonly [LogFault, string] | undefined {
    const at = `the checkpoint at revision ${checkpoint.revision}`
    if (checkpoint.by !== this.#lastKey && checkpoint.by !== this.signedBy)
      return ['forged', `${at} is by ${checkpoint.by}, which is not the key that the node signed with there`]
    if (!this.#signers.networks.has(checkpoint.network))
      return ['forged', `${at} is of another network than this log: ${checkpoint.network}`]
    return verifyCheckpoint(checkpoint) ? undefined : ['forged', `the signature of ${at} does not verify`]
  }

  #faultOf(checkpoint: Checkpoint): readonly [LogFault, string] | undefined {
    const fault = this.#signatureFault(checkpoint)
    if (fault !== undefined) return fault
    const at = `the checkpoint at revision ${checkpoint.revision}`
    const { revision, hash, tick } = this.#head
    if (checkpoint.revision !== revision) return ['altered', `${at} names a revision where no tick ends`]
    const since = `something in ${rangeText(this.#confirmed + 1, revision)} was altered`
    if (checkpoint.hash !== hash)
      return ['altered', `${at} is ${checkpoint.hash}, and the running hash there is ${hash}; ${since}`]
    if (checkpoint.tick !== tick || checkpoint.range !== rangeRoot(this.#range))
      return ['altered', `${at} commits to other ticks than the log holds; ${since}`]
    return undefined
  }
}

const reportInto =
  (problems: FoundProblem[]) =>
  (revision: number): Report =>
  (kind, what, cause) => {
    const problem: FoundProblem = { kind, revision, what, ...(cause === undefined ? {} : { cause }) }
    problems.push(problem)
    return problem
  }
