/**
 * Checks the transactions of a tick: that each id is that of its body, and that everyone has signed who must. It reads
 * them in place and keeps nothing but a bounded number of keys.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { canonicalText } from '../../encoding/canonical.js'
import { decodeWith } from '../../encoding/decode.js'
import { isSatisfiedBy, KeyC, type Key } from '../../identity/Key.js'
import { PartyC } from '../../identity/Party.js'
import type { PublicKey } from '../../identity/PublicKey.js'
import { transactionIdOf } from '../../ledger/componentTree.js'
import { verifyBatch } from '../../ledger/signatures.js'
import { checkSignatures } from '../../ledger/SignedTransaction.js'
import { TransactionIdC, type TransactionId } from '../../ledger/TransactionId.js'
import type { EventOf } from '../../log/events.js'
import type { EventText, TransactionText } from './EventText.js'
import type { Report } from './LogProblem.js'

/** Who must sign, by the texts that say so; most transactions say the same. */
type Required = { readonly keys: readonly Key[]; readonly commands: number }

/** A transaction that brings no signatures of its own: the tick's signature must cover it. */
type Covered = { readonly id: TransactionId; readonly required: Required | undefined; readonly revision: number }

const SignersC = t.readonlyArray(t.readonlyArray(KeyC))

/** Different sets of signers kept at hand. */
const mostKept = 1_000

export class TransactionChecker {
  readonly #required = new Map<string, Required | undefined>()
  #covered: Covered[] = []
  #signatures: { readonly event: EventOf<'TransactionsSigned'>; readonly revision: number }[] = []
  #count = 0

  /** How many transactions were checked so far. */
  get count(): number {
    return this.#count
  }

  /** Checks one transaction. `decode` gives the whole event, for those that bring their own signatures. */
  check(
    text: EventText,
    revision: number,
    report: Report,
    decode: () => EventOf<'TransactionRecorded'> | undefined,
  ): void {
    this.#count += 1
    const { id, transaction, assessments } = text
    if (!TransactionIdC.is(id) || transaction === undefined) {
      report('malformed', 'the TransactionRecorded holds no whole transaction')
      return
    }
    const { commands, outputs } = transaction.components
    const required = this.#requiredOf(transaction)
    if (assessments !== outputs.length)
      report('malformed', `transaction ${id} has ${outputs.length} outputs and ${assessments ?? 'no'} assessments`)
    if (required === undefined) report('malformed', `transaction ${id} names signers or a notary that cannot be read`)
    else if (required.commands !== commands.length)
      report('malformed', `transaction ${id} names signers for ${required.commands} of ${commands.length} commands`)
    const found = transactionIdOf(transaction.components)
    if (found !== id) report('altered', `transaction ${id} has a body whose id is ${found}`)
    if (text.isSigned !== true) this.#covered.push({ id, required, revision })
    else this.#checkOwn(decode(), report)
  }

  /** Takes note of a signature over the transactions of the tick. */
  note(event: EventOf<'TransactionsSigned'>, revision: number): void {
    this.#signatures.push({ event, revision })
  }

  /**
   * A transaction either brings its own signatures or is covered by the tick's: one signature over all that bring
   * none, in their order. Either way nobody who must sign may be missing.
   */
  closeTick(number: number, reportAt: (revision: number) => Report): void {
    const ids = this.#covered.map(({ id }) => id)
    const signed = new Set<PublicKey>()
    for (const { event, revision } of this.#signatures) {
      signed.add(event.by)
      if (ids.length !== event.count)
        reportAt(revision)(
          'forged',
          `the signature says it covers ${event.count} transactions; tick ${number} holds ${ids.length} that bring none of their own`,
        )
      else if (!verifyBatch(event.by, ids, event.signature))
        reportAt(revision)(
          'forged',
          `the signature of ${event.by} over the transactions of tick ${number} does not verify`,
        )
    }
    const missingOf = new Map<Required, readonly Key[]>()
    for (const { id, required, revision } of this.#covered) {
      if (required === undefined) continue
      const missing = missingOf.get(required) ?? required.keys.filter((key) => !isSatisfiedBy(key, signed))
      missingOf.set(required, missing)
      for (const key of missing)
        reportAt(revision)(
          'forged',
          `transaction ${id} asks for the signature of ${typeof key === 'string' ? key : canonicalText(key)}, which its tick does not hold`,
        )
    }
    this.#covered = []
    this.#signatures = []
  }

  #checkOwn(event: EventOf<'TransactionRecorded'> | undefined, report: Report): void {
    if (event?.signatures === undefined || !('inputs' in event.body)) return
    const checked = checkSignatures(event.id, { body: event.body, signatures: event.signatures })
    if (isLeft(checked)) report('forged', checked.left.message)
  }

  /** Who must sign a transaction; undefined when that cannot be read. */
  #requiredOf({ signers, notary, needsNotary }: TransactionText): Required | undefined {
    const text = needsNotary ? `${signers}${notary}` : signers
    if (this.#required.has(text)) return this.#required.get(text)
    const lists = decodeWith(SignersC, JSON.parse(signers))
    const party = decodeWith(PartyC, JSON.parse(notary))
    const required =
      isLeft(lists) || isLeft(party)
        ? undefined
        : {
            keys: [...new Set([...lists.right.flat(), ...(needsNotary ? [party.right.key] : [])])],
            commands: lists.right.length,
          }
    if (this.#required.size >= mostKept) this.#required.clear()
    this.#required.set(text, required)
    return required
  }
}
