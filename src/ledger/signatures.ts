/**
 * Signatures over transactions. A transaction is signed alone, or as one of all those that a tick records: then the one
 * signature of the tick counts, and the transaction carries the proof that it belongs to that tick.
 */
import * as t from 'io-ts'
import { IntegerC } from '../encoding/IntegerC.js'
import { HashC, type Hash } from '../encoding/hash.js'
import { merkleProofs, merkleRoot, rootFromProof } from '../encoding/merkle.js'
import { verifySignature, type KeyPair } from '../identity/KeyPair.js'
import { textToSign, type NetworkId } from '../identity/NetworkId.js'
import { PublicKeyC, type PublicKey } from '../identity/PublicKey.js'
import type { TransactionId } from './TransactionId.js'

/** Where a transaction stands among those of a tick, and the running hash of that tick. */
const TickProofC = t.readonly(
  t.strict({ hash: HashC, index: IntegerC, count: IntegerC, path: t.readonlyArray(HashC) }),
  'TickProof',
)

export const TransactionSignatureC = t.readonly(
  t.intersection([t.strict({ by: PublicKeyC, signature: t.string }), t.exact(t.partial({ tick: TickProofC }))]),
  'TransactionSignature',
)
/** A signature over a transaction: over itself alone or, with a proof, over the tick that recorded it. */
export type TransactionSignature = t.TypeOf<typeof TransactionSignatureC>

// The count is signed because the root does not commit to it: a proof could otherwise claim another place in another tick.
const textOfRoot = (network: NetworkId, hash: Hash, count: number, root: Hash): string =>
  textToSign('tick', network, hash, count, root)

/**
 * What a node signs of a tick: its running hash, and the root over the ids of the transactions that bring no signatures of
 * their own. Ids are leaves as they stand: they are hashed with a prefix that no node of the tree has.
 */
export const textOfTick = (network: NetworkId, hash: Hash, ids: readonly TransactionId[]): string =>
  textOfRoot(network, hash, ids.length, merkleRoot(ids))

/** The signature of a tick, for each of its transactions in their order. */
export const signaturesOfTick = (
  by: PublicKey,
  hash: Hash,
  ids: readonly TransactionId[],
  signature: string,
): readonly TransactionSignature[] =>
  merkleProofs(ids).map((path, index) => ({ by, signature, tick: { hash, index, count: ids.length, path } }))

/** The text that a signature over a transaction must have signed; undefined when the proof it brings leads nowhere. */
export const textSigned = (
  network: NetworkId,
  id: TransactionId,
  { tick }: TransactionSignature,
): string | undefined => {
  if (tick === undefined) return textToSign('transaction', network, id)
  const root = rootFromProof(id, tick.index, tick.count, tick.path)
  return root === undefined ? undefined : textOfRoot(network, tick.hash, tick.count, root)
}

export const verifyTransactionSignature = (
  network: NetworkId,
  id: TransactionId,
  signature: TransactionSignature,
): boolean => {
  const text = textSigned(network, id, signature)
  return text !== undefined && verifySignature(signature.by, text, signature.signature)
}

/** Signs one transaction alone. */
export const signTransaction = (key: KeyPair, network: NetworkId, id: TransactionId): TransactionSignature => ({
  by: key.publicKey,
  signature: key.sign(textToSign('transaction', network, id)),
})
