/**
 * Checks what can be told of a tick by itself: that its events are canonical and whole, that every transaction's id is
 * that of its body, and that everyone has signed who must. Nothing is carried from one tick to the next, so ticks can
 * be checked side by side.
 */
import { canonicalText } from '../../encoding/canonical.js'
import { messageOf } from '../../errors/CarillonError.js'
import { decodeEvent, isEventType } from '../../log/decodeEvent.js'
import type { DomainEvent, EventOf } from '../../log/events.js'
import type { EncodedTick } from '../../log/Tick.js'
import { EventReader } from './EventReader.js'
import type { Report } from './LogProblem.js'
import { TransactionChecker } from './TransactionChecker.js'

/** Types whose contents the check needs, so that they are always decoded. */
const proofTypes: ReadonlySet<string> = new Set(['NodeStarted', 'HeadSigned', 'TransactionsSigned'])

/** An event that says something about the log as a whole. */
export type Proof = { readonly event: EventOf<'NodeStarted'> | EventOf<'HeadSigned'>; readonly revision: number }

export type TickFindings = {
  /** The events as decoded; undefined in the place of one that cannot be, or was not asked for. */
  readonly events: readonly (DomainEvent | undefined)[]
  readonly proofs: readonly Proof[]
  readonly transactions: number
}

export class TickChecker {
  readonly #decode: boolean
  readonly #reader = new EventReader()
  readonly #transactions = new TransactionChecker()

  /** With `decode` every event is decoded, as a rebuild of the views would. */
  constructor(decode = false) {
    this.#decode = decode
  }

  check(tick: EncodedTick, reportAt: (revision: number) => Report): TickFindings {
    const before = this.#transactions.count
    const proofs: Proof[] = []
    const events = tick.events.map((line, index) => {
      const revision = tick.firstRevision + index
      const event = this.#checkEvent(line, revision, reportAt(revision))
      if (event?.type === 'NodeStarted' || event?.type === 'HeadSigned') proofs.push({ event, revision })
      return event
    })
    this.#transactions.closeTick(tick.number, reportAt)
    return { events, proofs, transactions: this.#transactions.count - before }
  }

  #checkEvent(line: string, revision: number, report: Report): DomainEvent | undefined {
    const decode = (): DomainEvent | undefined => this.#decodeEvent(line, revision, report)
    const text = this.#reader.read(line)
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
    if (event.type === 'TransactionsSigned') this.#transactions.note(event, revision)
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
}
