/**
 * Checks a log tick by tick: order, running hash, encoding, transaction ids and every signature. It remembers a
 * bounded number of heads and nothing else, so a log of any length can be checked.
 */
import { canonicalText } from '../../encoding/canonical.js'
import { leafHash } from '../../encoding/merkle.js'
import { emptyRange, grow, rangeRoot, type MountainRange } from '../../encoding/MountainRange.js'
import { messageOf } from '../../errors/CarillonError.js'
import type { PublicKey } from '../../identity/PublicKey.js'
import { limits } from '../../limits.js'
import { decodeEvent, isEventType } from '../../log/decodeEvent.js'
import type { DomainEvent, EventOf } from '../../log/events.js'
import { emptyHead, headAfter, type EncodedTick, type Head } from '../../log/Tick.js'
import { verifySignedHead, type SignedHead } from '../signedHead.js'
import { readEventText } from './EventText.js'
import type { FoundProblem, LogFault, Report } from './LogProblem.js'
import { rangeText } from './LogProblem.js'
import { PlaceChecker } from './PlaceChecker.js'
import { TransactionChecker } from './TransactionChecker.js'

export type CheckedTick = {
  /** The events as decoded; undefined in the place of one that cannot be, or was not asked for. */
  readonly events: readonly (DomainEvent | undefined)[]
  readonly problems: readonly FoundProblem[]
}

export type LogCheckerOptions = {
  /** Whether every event is decoded too, as a rebuild of the views would. Takes several times as long. */
  readonly decode?: boolean
  /** Heads that were signed by this node and kept elsewhere: the log must hold them all. */
  readonly heads?: readonly SignedHead[]
}

/** Types whose contents the check needs, so that they are always decoded. */
const proofTypes: ReadonlySet<string> = new Set(['NodeStarted', 'HeadSigned', 'TransactionsSigned'])

type Known = { readonly head: Head; readonly range: MountainRange }

const beforeAll: Known = { head: emptyHead, range: emptyRange }

export class LogChecker {
  readonly #decode: boolean
  /** Given heads that the log has not reached yet, the first to come last. */
  readonly #given: SignedHead[]
  readonly #places = new PlaceChecker()
  readonly #transactions = new TransactionChecker()
  readonly #heads = new Map<number, Known>()
  #head: Head = emptyHead
  #range: MountainRange = emptyRange
  #ticks = 0
  #events = 0
  #signedHeads = 0
  #confirmed = emptyHead.revision
  #nodeKey: PublicKey | undefined

  constructor({ decode = false, heads = [] }: LogCheckerOptions = {}) {
    this.#decode = decode
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
      transactions: this.#transactions.count,
      signedHeads: this.#signedHeads,
    }
  }

  /** Checks the tick that comes next. What follows a problem is checked as if the log had meant what it says. */
  check(tick: EncodedTick): CheckedTick {
    const problems: FoundProblem[] = []
    const reportAt = reportInto(problems)
    this.#places.check(this.#head, tick, reportAt(tick.firstRevision))
    const events = tick.events.map((line, index) => {
      const revision = tick.firstRevision + index
      return this.#checkEvent(line, revision, reportAt(revision))
    })
    this.#transactions.closeTick(tick.number, reportAt)
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

  #checkEvent(line: string, revision: number, report: Report): DomainEvent | undefined {
    const decode = (): DomainEvent | undefined => this.#decodeEvent(line, revision, report)
    const text = readEventText(line)
    if (text === undefined) {
      // Decoding says what is wrong where there is more to say than that it is not canonical.
      if (decode() !== undefined) report('malformed', 'the event is not in canonical form')
      return undefined
    }
    const event =
      this.#decode || proofTypes.has(text.type) || text.isSigned === true || !isEventType(text.type)
        ? decode()
        : undefined
    if (text.type === 'TransactionRecorded')
      this.#transactions.check(text, revision, report, () =>
        event?.type === 'TransactionRecorded' ? event : undefined,
      )
    if (event === undefined) return undefined
    if (canonicalText(event) !== line) report('malformed', `the ${event.type} says more than its type allows`)
    if (event.type === 'NodeStarted') this.#nodeKey = event.party.key
    if (event.type === 'TransactionsSigned') this.#transactions.note(event, revision)
    if (event.type === 'HeadSigned') this.#checkSignedHead(event, report)
    return event
  }

  #decodeEvent(line: string, revision: number, report: Report): DomainEvent | undefined {
    try {
      return decodeEvent(line, revision)
    } catch (error) {
      report('malformed', messageOf(error), error)
      return undefined
    }
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
