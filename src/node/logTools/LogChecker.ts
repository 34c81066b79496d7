/**
 * Checks a log tick by tick: order, running hash, encoding, transaction ids and every signature. It remembers a
 * bounded number of heads and nothing else, so a log of any length can be checked.
 */
import { canonicalText, Encoded } from '../../encoding/canonical.js'
import type { Hash } from '../../encoding/hash.js'
import { messageOf } from '../../errors/CarillonError.js'
import { isLeft } from 'fp-ts/lib/Either.js'
import { isSatisfiedBy } from '../../identity/Key.js'
import type { PublicKey } from '../../identity/PublicKey.js'
import { verifyBatch } from '../../ledger/signatures.js'
import { checkSignatures, requiredKeys } from '../../ledger/SignedTransaction.js'
import { sealBody, type TransactionBody } from '../../ledger/Transaction.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import { limits } from '../../limits.js'
import { decodeEvent } from '../../log/decodeEvent.js'
import type { DomainEvent, EventOf } from '../../log/events.js'
import { emptyHead, hashAfter, headAfter, tickText, type EncodedTick, type Head } from '../../log/Tick.js'
import { verifySignedHead } from '../signedHead.js'

/** Something that does not hold, and the revision of the event it was found at. */
export type LogProblem = { readonly revision: number; readonly what: string; readonly cause?: unknown }

export type CheckedTick = {
  /** The events as decoded; undefined in the place of one that cannot be. */
  readonly events: readonly (DomainEvent | undefined)[]
  readonly problems: readonly LogProblem[]
}

export class LogChecker {
  #head: Head = emptyHead
  #transactions = 0
  #signedHeads = 0
  #events = 0
  #nodeKey: PublicKey | undefined
  readonly #heads = new Map<number, Hash>()

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

  #ticks = 0

  /** Checks the tick that comes next. What follows a problem is checked as if the log had meant what it says. */
  check(tick: EncodedTick): CheckedTick {
    const problems: LogProblem[] = []
    this.#checkPlace(tick, problems)
    const events = tick.events.map((line, index) => this.#checkEvent(line, tick.firstRevision + index, problems))
    this.#checkSignatures(tick, events, problems)
    this.#head = headAfter(tick)
    this.#ticks += 1
    this.#events += tick.events.length
    this.#remember(this.#head)
    return { events, problems }
  }

  #checkPlace(tick: EncodedTick, problems: LogProblem[]): void {
    const revision = tick.firstRevision
    const report = (what: string): number => problems.push({ revision, what })
    if (tick.number !== this.#head.tick + 1)
      report(`tick ${tick.number} follows tick ${this.#head.tick}; ticks are missing or out of order`)
    if (revision !== this.#head.revision + 1)
      report(
        `tick ${tick.number} begins at revision ${revision}, but the tick before it ends at ${this.#head.revision}`,
      )
    if (tick.events.length === 0) report(`tick ${tick.number} holds no event`)
    const hash = hashAfter(this.#head.hash, tickText(tick))
    if (hash !== tick.hash)
      report(`the running hash of tick ${tick.number} should be ${hash} and is ${tick.hash}; the tick was altered`)
  }

  #checkEvent(line: string, revision: number, problems: LogProblem[]): DomainEvent | undefined {
    const report = (what: string, cause?: unknown): void => {
      problems.push({ revision, what, ...(cause === undefined ? {} : { cause }) })
    }
    let event: DomainEvent
    try {
      event = decodeEvent(line, revision)
      if (canonicalText(event) !== line)
        report(`the ${event.type} is not in canonical form, or says more than its type allows`)
    } catch (error) {
      report(messageOf(error), error)
      return undefined
    }
    if (event.type === 'TransactionRecorded') this.#checkId(event, report)
    if (event.type === 'NodeStarted') this.#nodeKey = event.party.key
    if (event.type === 'HeadSigned') this.#checkSignedHead(event, report)
    return event
  }

  #checkId(event: EventOf<'TransactionRecorded'>, report: (what: string) => void): void {
    this.#transactions += 1
    if (event.body instanceof Encoded) return
    if (event.body.signers.length !== event.body.commands.length)
      report(
        `transaction ${event.id} names signers for ${event.body.signers.length} of ${event.body.commands.length} commands`,
      )
    if (event.assessments.length !== event.body.outputs.length)
      report(
        `transaction ${event.id} has ${event.body.outputs.length} outputs and ${event.assessments.length} assessments`,
      )
    const { id } = sealBody(event.body)
    if (id !== event.id) report(`transaction ${event.id} has a body whose id is ${id}`)
  }

  #checkSignedHead(event: EventOf<'HeadSigned'>, report: (what: string) => void): void {
    this.#signedHeads += 1
    const hash = this.#heads.get(event.revision)
    if (event.revision === emptyHead.revision ? event.head !== emptyHead.hash : hash !== event.head)
      report(
        hash === undefined
          ? `the signed head names revision ${event.revision}, where no recent tick ends`
          : `the signed head at revision ${event.revision} is ${event.head}, but the running hash there is ${hash}`,
      )
    if (event.by !== this.#nodeKey) report(`the signed head is by ${event.by}, which is not the key of this node`)
    if (!verifySignedHead(event)) report(`the signature of the head at revision ${event.revision} does not verify`)
  }

  /**
   * A transaction either brings its own signatures or is covered by the tick's: one signature over all that bring
   * none, in their order. Either way nobody who must sign may be missing.
   */
  #checkSignatures(tick: EncodedTick, events: CheckedTick['events'], problems: LogProblem[]): void {
    const covered: { readonly id: TransactionId; readonly body: TransactionBody; readonly revision: number }[] = []
    const signed = new Set<PublicKey>()
    events.forEach((event, index) => {
      if (event?.type !== 'TransactionRecorded' || event.body instanceof Encoded) return
      const revision = tick.firstRevision + index
      if (event.signatures === undefined) {
        covered.push({ id: event.id, body: event.body, revision })
        return
      }
      const checked = checkSignatures(event.id, { body: event.body, signatures: event.signatures })
      if (isLeft(checked)) problems.push({ revision, what: checked.left.message })
    })
    const ids = covered.map(({ id }) => id)
    events.forEach((event, index) => {
      if (event?.type !== 'TransactionsSigned') return
      signed.add(event.by)
      const report = (what: string): number => problems.push({ revision: tick.firstRevision + index, what })
      if (ids.length !== event.count)
        report(
          `the signature says it covers ${event.count} transactions; tick ${tick.number} holds ${ids.length} that bring none of their own`,
        )
      else if (!verifyBatch(event.by, ids, event.signature))
        report(`the signature of ${event.by} over the transactions of tick ${tick.number} does not verify`)
    })
    for (const { id, body, revision } of covered) {
      for (const key of requiredKeys(body)) {
        if (isSatisfiedBy(key, signed)) continue
        const what = `transaction ${id} asks for the signature of ${typeof key === 'string' ? key : canonicalText(key)}, which its tick does not hold`
        problems.push({ revision, what })
      }
    }
  }

  #remember(head: Head): void {
    this.#heads.set(head.revision, head.hash)
    if (this.#heads.size <= limits.headsRemembered) return
    const oldest = this.#heads.keys().next()
    if (oldest.done !== true) this.#heads.delete(oldest.value)
  }
}
