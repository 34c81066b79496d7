/**
 * What a notary is asked: a whole transaction if it validates, otherwise only what it must see to keep states
 * from being consumed twice. The caller signs the request, so that it can be held to it.
 */
import * as t from 'io-ts'
import { verifySignature, type KeyPair } from '../identity/KeyPair.js'
import { textToSign, type NetworkId } from '../identity/NetworkId.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { SignedTransactionC } from '../ledger/SignedTransaction.js'
import { TearOffC } from '../ledger/TearOff.js'
import type { TransactionId } from '../ledger/TransactionId.js'

export const NotaryRequestC = t.union(
  [
    t.strict({ type: t.literal('whole'), transaction: SignedTransactionC, callerSignature: t.string }),
    t.strict({ type: t.literal('tearOff'), tearOff: TearOffC, callerSignature: t.string }),
  ],
  'NotaryRequest',
)
export type NotaryRequest = t.TypeOf<typeof NotaryRequestC>

/** The caller's signature over a request to notarise a transaction. */
export const signRequest = (key: KeyPair, network: NetworkId, id: TransactionId): string =>
  key.sign(textToSign('notary request', network, id))

export const verifyRequest = (by: PublicKey, network: NetworkId, id: TransactionId, signature: string): boolean =>
  verifySignature(by, textToSign('notary request', network, id), signature)
