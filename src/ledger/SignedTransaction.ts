/**
 * A transaction with the signatures gathered so far, as parties hand it to each other.
 */
import * as t from 'io-ts'
import { canonicalText } from '../encoding/canonical.js'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { CarillonError } from '../errors/CarillonError.js'
import { isSatisfiedBy, type Key } from '../identity/Key.js'
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

/** Every key that must sign: those of the commands, and the notary's where it is needed. */
export const requiredKeys = (body: TransactionBody): readonly Key[] => {
  const keys = [...body.signers.flat(), ...(needsNotary(body) ? [body.notary.key] : [])]
  return [...new Map(keys.map((key) => [canonicalText(key), key])).values()]
}

/** The keys whose valid signatures are there; one invalid signature spoils the whole. */
const signedKeys = (
  id: TransactionId,
  signatures: readonly TransactionSignature[],
): Either<CarillonError, ReadonlySet<PublicKey>> => {
  const invalid = signatures.find((signature) => !verifyTransactionSignature(id, signature))
  return invalid === undefined
    ? right(new Set(signatures.map(({ by }) => by)))
    : left(
        new CarillonError(
          'signature-invalid',
          `The signature of ${invalid.by} over transaction ${id} does not verify.`,
          { transaction: id, by: invalid.by },
        ),
      )
}

/** Checks that everyone has signed who must, except for those named. */
export const checkSignatures = (
  id: TransactionId,
  signed: SignedTransaction,
  except: readonly PublicKey[] = [],
): Either<CarillonError, void> => {
  const keys = signedKeys(id, signed.signatures)
  if (keys._tag === 'Left') return keys
  const present = new Set([...keys.right, ...except])
  const missing = requiredKeys(signed.body).filter((key) => !isSatisfiedBy(key, present))
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
