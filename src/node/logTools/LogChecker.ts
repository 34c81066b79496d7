/**
 * Checks a log tick by tick: each tick by itself, its place after the one before, and the heads that were signed. It
 * remembers a bounded number of heads and nothing else, so a log of any length can be checked.
 */
import { leafHash } from '../../encoding/merkle.js'
import { emptyRange, grow, rangeRoot, type MountainRange } from '../../encoding/MountainRange.js'
import type { PublicKey } from '../../identity/PublicKey.js'
import { limits } from '../../limits.js'
import type { DomainEvent, EventOf } from '../../log/events.js'
import { emptyHead, headAfter, type EncodedTick, type Head } from '../../log/Tick.js'
import { verifySignedHead, type SignedHead } from '../../heads/SignedHead.js'
import type { FoundProblem, LogFault, Report } from './LogProblem.js'
import { rangeText } from './LogProblem.js'
import { PlaceChecker } from './PlaceChecker.js'
import { TickChecker } from './TickChecker.js'
import type { Vouch } from './vouch.js'

export type CheckedTick = {
  /** The events as decoded; undefined in the place of one that cannot be, or was not asked for. None if vouched for. */
  readonly events: readonly (DomainEvent | undefined)[]
  readonly problems: readonly FoundProblem[]
}

export type LogCheckerOptions = {
  /** Whether every event is decoded too, as a rebuild of the views would. Takes several times as long. */
  readonly decode?: boolean
  /** Heads that were signed by this node and kept elsewhere: the log must hold them all. */
  readonly heads?: readonly SignedHead[]
}

type Known = { readonly head: Head; readonly range: MountainRange }

const beforeAll: Known = { head: emptyHead, range: emptyRange }

export class LogChecker {
  readonly #inTick: TickChecker
  /** Given heads that the log has not reached yet, the first to come last. */
  readonly #given: SignedHead[]
  readonly #places = new PlaceChecker()
  readonly #heads = new Map<number, Known>()
  #head: Head = emptyHead
  #range: MountainRange = emptyRange
  #ticks = 0
  #events = 0
  #transactions = 0
  #signedHeads = 0
  #confirmed = emptyHead.revision
  #nodeKey: PublicKey | undefined

  constructor({ decode = false, heads = [] }: LogCheckerOptions = {}) {
    this.#inTick = new TickChecker(decode)
    this.#given = [...heads].sort((a, b) => b.revision - a.revision)
  }

  get head(): Head {
    return this.#head
  }

  get counts(): {
    readonly ticks: number
    readonly events: number
    readonly transactions: number
    readonly signedHeads: number
  } {
    return {
      ticks: this.#ticks,
      events: this.#events,
      transactions: this.#transactions,
      signedHeads: this.#signedHeads,
    }
  }

  /**
   * Checks the tick that comes next. What follows a problem is checked as if the log had meant what it says. A tick
   * that someone has vouched for, after the very tick that came before, is only put in its place.
   */
  check(tick: EncodedTick, vouch?: Vouch): CheckedTick {
    const problems: FoundProblem[] = []
    const reportAt = reportInto(problems)
    this.#places.check(this.#head, tick, reportAt(tick.firstRevision), vouch !== undefined)
    const { events, proofs, transactions } =
      vouch === undefined ? this.#inTick.check(tick, reportAt) : { ...vouch, events: [] }
    this.#transactions += transactions
    for (const { event, revision } of proofs) {
      if (event.type === 'NodeStarted') this.#nodeKey = event.party.key
      else this.#checkSignedHead(event, reportAt(revision))
    }
    this.#head = headAfter(tick)
    this.#range = grow(this.#range, leafHash(tick.hash))
    this.#ticks += 1
    this.#events += tick.events.length
    this.#remember()
    this.#checkGiven(reportAt)
    return { events, problems }
  }

  /** To be called after the last tick: what should have followed it. */
  end(): readonly FoundProblem[] {
    const problems: FoundProblem[] = []
    for (const head of this.#given.toReversed()) {
      const fault = this.#signatureFault(head)
      const cut = `the log ends at revision ${this.#head.revision}, but its head at revision ${head.revision} was signed: ${rangeText(this.#head.revision + 1, head.revision)} are cut off`
      reportInto(problems)(this.#head.revision + 1)(...(fault ?? ['cut-off', cut]))
    }
    return problems
  }

  #checkSignedHead(event: EventOf<'HeadSigned'>, report: Report): void {
    this.#signedHeads += 1
    const fault = this.#faultOf(event)
    if (fault === undefined) this.#confirmed = Math.max(this.#confirmed, event.revision)
    else report(...fault)
  }

  /** Heads that were given, as soon as the log has come so far. */
  #checkGiven(reportAt: (revision: number) => Report): void {
    for (let next = this.#given.at(-1); next !== undefined; next = this.#given.at(-1)) {
      if (next.revision > this.#head.revision) return
      this.#given.pop()
      const fault = this.#faultOf(next)
      if (fault !== undefined) reportAt(this.#confirmed + 1)(...fault).untilRevision = next.revision
    }
  }

  #signatureFault(head: SignedHead): readonly [LogFault, string] | undefined {
    if (head.by !== this.#nodeKey)
      return [
        'forged',
        `the signed head at revision ${head.revision} is by ${head.by}, which is not the key of this node`,
      ]
    return verifySignedHead(head)
      ? undefined
      : ['forged', `the signature of the head at revision ${head.revision} does not verify`]
  }

  #faultOf(head: SignedHead): readonly [LogFault, string] | undefined {
    const fault = this.#signatureFault(head)
    if (fault !== undefined) return fault
    const known = head.revision === emptyHead.revision ? beforeAll : this.#heads.get(head.revision)
    const at = `the signed head at revision ${head.revision}`
    if (known === undefined) return ['altered', `${at} names a revision where no recent tick ends`]
    const since = `something in ${rangeText(this.#confirmed + 1, head.revision)} was altered`
    if (known.head.hash !== head.head)
      return ['altered', `${at} is ${head.head}, but the running hash there is ${known.head.hash}; ${since}`]
    if (known.head.tick !== head.tick || rangeRoot(known.range) !== head.range)
      return ['altered', `${at} commits to other ticks than the log holds; ${since}`]
    return undefined
  }

  #remember(): void {
    this.#heads.set(this.#head.revision, { head: this.#head, range: this.#range })
    if (this.#heads.size <= limits.headsRemembered) return
    const oldest = this.#heads.keys().next()
    if (oldest.done !== true) this.#heads.delete(oldest.value)
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
