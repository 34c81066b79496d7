/**
 * Signatures over transactions. What is signed is always the Merkle root of a batch of transaction ids, so a
 * busy node signs once a tick; a transaction carries the signature with the proof that it was in the batch.
 */
import * as t from 'io-ts'
import { IntegerC } from '../encoding/IntegerC.js'
import { HashC, type Hash } from '../encoding/hash.js'
import { merkleProof, merkleProofs, merkleRoot, rootFromProof } from '../encoding/merkle.js'
import { verifySignature, type KeyPair } from '../identity/KeyPair.js'
import { PublicKeyC, type PublicKey } from '../identity/PublicKey.js'
import type { TransactionId } from './TransactionId.js'

export const TransactionSignatureC = t.readonly(
  t.strict({ by: PublicKeyC, signature: t.string, index: IntegerC, count: IntegerC, path: t.readonlyArray(HashC) }),
  'TransactionSignature',
)
/** A signature over a batch, with the place of one transaction in it. A batch of one has an empty path. */
export type TransactionSignature = t.TypeOf<typeof TransactionSignatureC>

// Ids are the leaves of the batch's tree as they stand: they are hashed with a prefix of their own, so none of them
// can pass for a node, and no node for one of them.
//
// The tag keeps a signature over transactions from ever passing for a signature over something else. The count is
// signed too, since the root does not commit to it and a proof could otherwise claim another place in another batch.
const textToSign = (count: number, root: Hash): string => `carillon transactions 1\n${count}\n${root}`

/** One signature for all the ids. */
export const signBatch = (key: KeyPair, ids: readonly TransactionId[]): string =>
  key.sign(textToSign(ids.length, merkleRoot(ids)))

/** Whether a batch signature is that of `by` over exactly these ids in this order. */
export const verifyBatch = (by: PublicKey, ids: readonly TransactionId[], signature: string): boolean =>
  verifySignature(by, textToSign(ids.length, merkleRoot(ids)), signature)

/** One transaction's signature out of a batch. */
export const signatureFor = (
  by: PublicKey,
  ids: readonly TransactionId[],
  index: number,
  signature: string,
): TransactionSignature => ({
  by,
  signature,
  index,
  count: ids.length,
  path: merkleProof(ids, index),
})

/** Every transaction's signature out of a batch, in the order of the ids. */
export const signaturesOfBatch = (
  by: PublicKey,
  ids: readonly TransactionId[],
  signature: string,
): readonly TransactionSignature[] =>
  merkleProofs(ids).map((path, index) => ({ by, signature, index, count: ids.length, path }))

/** The text that a signature over a transaction must have signed; undefined when the proof it brings leads nowhere. */
export const textSigned = (id: TransactionId, { index, count, path }: TransactionSignature): string | undefined => {
  const root = rootFromProof(id, index, count, path)
  return root === undefined ? undefined : textToSign(count, root)
}

export const verifyTransactionSignature = (id: TransactionId, signature: TransactionSignature): boolean => {
  const text = textSigned(id, signature)
  return text !== undefined && verifySignature(signature.by, text, signature.signature)
}

/** A signature over one transaction alone: a batch of one. */
export const signTransaction = (key: KeyPair, id: TransactionId): TransactionSignature =>
  signatureFor(key.publicKey, [id], 0, signBatch(key, [id]))
