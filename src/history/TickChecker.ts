/**
 * Checks what can be told of a tick by itself: that its events are canonical and whole, that every transaction's id is
 * that of its body, and, when it is known who signs the log, that everyone has signed who must. Nothing is carried from one
 * tick to the next, so ticks can be checked side by side.
 */
import { messageOf } from '../errors/CarillonError.js'
import { isSignatureText } from '../identity/KeyPair.js'
import { decodeEvent, isEventType } from '../log/decodeEvent.js'
import type { DomainEvent } from '../log/events.js'
import { isSignerEvent, type SignerEvent, type SignerTracker } from '../log/SignerTracker.js'
import type { EncodedTick } from '../log/Tick.js'
import { isSignedBy, type TickSigner } from '../log/TickSigner.js'
import { EventReader } from './EventReader.js'
import type { Report } from './LogProblem.js'
import { checkRequired, TransactionChecker, type ReadTransaction } from './TransactionChecker.js'

/** Types whose contents the check needs, so that they are always decoded. */
const proofTypes: ReadonlySet<string> = new Set(['NodeStarted', 'NetworkJoined', 'KeyChanged'])

/** An event that says something about who signs the log. */
export type Proof = { readonly event: SignerEvent; readonly revision: number }

export type TickFindings = {
  /** The events as decoded; undefined in the place of one that cannot be, or was not asked for. */
  readonly events: readonly (DomainEvent | undefined)[]
  readonly proofs: readonly Proof[]
  readonly transactions: number
  /** Its transactions, as far as signatures concern them. */
  readonly recorded: readonly ReadTransaction[]
}

export class TickChecker {
  readonly #decode: boolean
  readonly #reader = new EventReader()
  readonly #transactions = new TransactionChecker()

  /** With `decode` every event is decoded, as a rebuild of the views would. */
  constructor(decode = false) {
    this.#decode = decode
  }

  /** Reads a tick and checks all but its signatures. */
  read(tick: EncodedTick, reportAt: (revision: number) => Report): TickFindings {
    const proofs: Proof[] = []
    const recorded: ReadTransaction[] = []
    let transactions = 0
    const events = tick.events.map((line, index) => {
      const revision = tick.firstRevision + index
      const report = reportAt(revision)
      const text = this.#reader.read(line)
      if (text === undefined) {
        // Decoding says what is wrong where there is more to say than that it is not canonical.
        if (this.#decodeEvent(line, revision, report) !== undefined)
          report('malformed', 'the event is not in canonical form')
        return undefined
      }
      const mustDecode = this.#decode || proofTypes.has(text.type) || text.isSigned === true || !isEventType(text.type)
      const event = mustDecode ? this.#decodeEvent(line, revision, report) : undefined
      if (text.type === 'TransactionRecorded') {
        transactions += 1
        const found = this.#transactions.read(text, revision, report, event)
        if (found !== undefined) recorded.push(found)
      }
      if (isSignerEvent(event)) proofs.push({ event, revision })
      return event
    })
    return { events, proofs, transactions, recorded }
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

/** Checks the signature of a tick, and the signatures of its transactions. `keys` are those that had signed before it. */
export const checkTickSignature = (
  tick: EncodedTick,
  { recorded }: Pick<TickFindings, 'recorded'>,
  signer: TickSigner | undefined,
  signers: Pick<SignerTracker, 'contextOf' | 'keys' | 'party'>,
  reportAt: (revision: number) => Report,
): void => {
  const report = reportAt(tick.firstRevision)
  if (signer === undefined) {
    report('forged', `tick ${tick.number} comes before any start of a node, so nobody knows who should have signed it`)
    return
  }
  const ids = recorded.filter(({ signatures }) => signatures === undefined).map(({ id }) => id)
  if (!isSignatureText(tick.signature)) report('forged', `tick ${tick.number} has no signature`)
  else if (!isSignedBy(tick, signer, ids)) {
    const retired = signers.keys.find((key) => key !== signer.key && isSignedBy(tick, { ...signer, key }, ids))
    report(
      'forged',
      retired === undefined
        ? `the signature of tick ${tick.number} is not that of ${signer.key}`
        : `tick ${tick.number} is signed with ${retired}, a key that was retired before`,
    )
  }
  checkRequired(recorded, signers.party ?? signer.key, signers.contextOf(signer), reportAt)
}
