/**
 * A transaction with the signatures gathered so far, as parties hand it to each other.
 */
import * as t from 'io-ts'
import { canonicalText } from '../encoding/canonical.js'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { CarillonError } from '../errors/CarillonError.js'
import { isSatisfiedBy, type Key } from '../identity/Key.js'
import { ownNetworkId, type NetworkId } from '../identity/NetworkId.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { TransactionSignatureC, verifyTransactionSignature, type TransactionSignature } from './signatures.js'
import { TransactionBodyC, type TransactionBody } from './Transaction.js'
import type { TransactionId } from './TransactionId.js'

export const SignedTransactionC = t.readonly(
  t.strict({ body: TransactionBodyC, signatures: t.readonlyArray(TransactionSignatureC) }),
  'SignedTransaction',
)
export type SignedTransaction = t.TypeOf<typeof SignedTransactionC>

/** A notary must sign what consumes something, and what may only happen at a certain time. */
export const needsNotary = (body: TransactionBody): boolean =>
  body.inputs.length > 0 || body.references.length > 0 || body.timeWindow !== undefined

/** Keys without repetition; composite keys are the same when their text is. */
export const distinctKeys = (keys: readonly Key[]): readonly Key[] => [
  ...new Map(keys.map((key) => [typeof key === 'string' ? key : canonicalText(key), key])).values(),
]

/** Every key that must sign: those of the commands, and the notary's where it is needed. */
export const requiredKeys = (body: TransactionBody): readonly Key[] =>
  distinctKeys([...body.signers.flat(), ...(needsNotary(body) ? [body.notary.key] : [])])

/** What signatures are checked against: the network they must have been made in, and whose a signing key is. */
export type SigningContext = {
  readonly id: NetworkId
  /** The key by which states and transactions know the party that signs with a key. */
  readonly identityOf: (signingKey: PublicKey) => PublicKey
  /** The key that a party signs with now. */
  readonly currentKeyOf: (identity: PublicKey) => PublicKey
}

/** How signatures are checked. */
export type SignatureCheck = {
  /** Keys whose signatures may still be missing. */
  readonly except?: readonly PublicKey[]
  /**
   * `history` is what another transaction builds on: there a party may have signed alone, before it joined the network.
   * Default `final`.
   */
  readonly role?: 'final' | 'history'
  /** Whether keys count that their parties have changed since: for what a notary has let pass already. Default false. */
  readonly retired?: boolean
}

const isValid = (
  { id: network, identityOf }: SigningContext,
  id: TransactionId,
  signature: TransactionSignature,
  role: 'final' | 'history',
): boolean =>
  verifyTransactionSignature(network, id, signature) ||
  (role === 'history' && verifyTransactionSignature(ownNetworkId(identityOf(signature.by)), id, signature))

/** Checks that every signature is valid, and that everyone has signed who must, except for those named. */
export const checkSignatures = (
  context: SigningContext,
  id: TransactionId,
  { body, signatures }: SignedTransaction,
  { except = [], role = 'final', retired = role === 'history' }: SignatureCheck = {},
): Either<CarillonError, void> => {
  const invalid = signatures.find((signature) => !isValid(context, id, signature, role))
  if (invalid !== undefined)
    return left(
      new CarillonError(
        'signature-invalid',
        `The signature of ${invalid.by} over transaction ${id} does not verify in this network.`,
        { transaction: id, by: invalid.by },
      ),
    )
  const old = retired ? undefined : signatures.find(({ by }) => context.currentKeyOf(context.identityOf(by)) !== by)
  if (old !== undefined)
    return left(
      new CarillonError(
        'signature-invalid',
        `The signature of ${old.by} over transaction ${id} is by a key that its party has changed. Have it signed again, with the new key.`,
        { transaction: id, by: old.by },
      ),
    )
  const present = new Set([...signatures.map(({ by }) => context.identityOf(by)), ...except])
  const missing = requiredKeys(body).filter((key) => !isSatisfiedBy(key, present))
  return missing.length === 0
    ? right(undefined)
    : left(
        new CarillonError(
          'signature-missing',
          `Transaction ${id} lacks the signature of ${missing.map((key) => (typeof key === 'string' ? key : canonicalText(key))).join(', ')}.`,
          { transaction: id },
        ),
      )
}
