/**
 * Checks the transactions of a tick: that each id is that of its body, and that everyone has signed who must. It reads
 * them in place and keeps nothing but a bounded number of keys.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { canonicalText } from '../encoding/canonical.js'
import { decodeWith } from '../encoding/decode.js'
import { isSatisfiedBy, KeyC, type Key } from '../identity/Key.js'
import { PartyC } from '../identity/Party.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { transactionIdOf } from '../ledger/componentTree.js'
import {
  checkSignatures,
  distinctKeys,
  type SignedTransaction,
  type SigningContext,
} from '../ledger/SignedTransaction.js'
import { TransactionIdC, type TransactionId } from '../ledger/TransactionId.js'
import type { DomainEvent } from '../log/events.js'
import type { EventText, TransactionText } from './EventText.js'
import type { Report } from './LogProblem.js'

/** Who must sign, by the texts that say so; most transactions say the same. */
type Required = { readonly keys: readonly Key[]; readonly commands: number }

/** A transaction of a tick, as far as signatures concern it. */
export type ReadTransaction = {
  readonly id: TransactionId
  readonly revision: number
  /** Undefined when it cannot be read. */
  readonly required: Required | undefined
  /** Undefined when it brings none: then the signature of the tick covers it. */
  readonly signatures: SignedTransaction['signatures'] | undefined
  readonly body: SignedTransaction['body'] | undefined
}

const SignersC = t.readonlyArray(t.readonlyArray(KeyC))

/** The value in a canonical text; undefined when it is another one, or has members that the codec does not know. */
const readExactly = <A>(codec: t.Decoder<unknown, A>, text: string): A | undefined => {
  const decoded = decodeWith(codec, JSON.parse(text))
  return isLeft(decoded) || canonicalText(decoded.right) !== text ? undefined : decoded.right
}

/** Different sets of signers kept at hand. */
const mostKept = 1_000

export class TransactionChecker {
  readonly #required = new Map<string, Required | undefined>()

  /**
   * Reads one transaction and checks that its id is that of its body. `event` is the whole event, which those need that
   * bring their own signatures.
   */
  read(text: EventText, revision: number, report: Report, event: DomainEvent | undefined): ReadTransaction | undefined {
    const { id, transaction, assessments } = text
    if (!TransactionIdC.is(id) || transaction === undefined) {
      report('malformed', 'the TransactionRecorded holds no whole transaction')
      return undefined
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
    const whole = event?.type === 'TransactionRecorded' && 'inputs' in event.body ? event : undefined
    const signatures = text.isSigned === true ? (whole?.signatures ?? []) : undefined
    const body = whole !== undefined && 'inputs' in whole.body ? whole.body : undefined
    return { id, revision, required, signatures, body }
  }

  /** Who must sign a transaction; undefined when that cannot be read. */
  #requiredOf({ signers, notary, needsNotary }: TransactionText): Required | undefined {
    // The notary is part of it also where it need not sign: it may be one that cannot be read.
    const text = `${needsNotary}${signers}${notary}`
    if (this.#required.has(text)) return this.#required.get(text)
    const lists = readExactly(SignersC, signers)
    const party = readExactly(PartyC, notary)
    const required =
      lists === undefined || party === undefined
        ? undefined
        : {
            keys: distinctKeys([...lists.flat(), ...(needsNotary ? [party.key] : [])]),
            commands: lists.length,
          }
    if (this.#required.size >= mostKept) this.#required.clear()
    this.#required.set(text, required)
    return required
  }
}

/**
 * Whether everyone has signed who must: a transaction either brings its own signatures or is covered by that of its tick,
 * which is the signature of the node's own party.
 */
export const checkRequired = (
  recorded: readonly ReadTransaction[],
  party: PublicKey,
  context: SigningContext,
  reportAt: (revision: number) => Report,
): void => {
  const own = new Set([party])
  const missingOf = new Map<Required, readonly Key[]>()
  for (const { id, revision, required, signatures, body } of recorded) {
    if (signatures !== undefined) {
      if (body === undefined) continue
      const checked = checkSignatures(context, id, { body, signatures }, { role: 'history' })
      if (isLeft(checked)) reportAt(revision)('forged', checked.left.message)
      continue
    }
    if (required === undefined) continue
    const missing = missingOf.get(required) ?? required.keys.filter((key) => !isSatisfiedBy(key, own))
    missingOf.set(required, missing)
    for (const key of missing)
      reportAt(revision)(
        'forged',
        `transaction ${id} asks for the signature of ${typeof key === 'string' ? key : canonicalText(key)}, which its tick does not hold`,
      )
  }
}
