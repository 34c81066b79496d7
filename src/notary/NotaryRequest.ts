/**
 * What a notary is asked: a whole transaction if it validates, otherwise only what it must see to keep states
 * from being consumed twice. The caller signs the request, so that it can be held to it.
 */
import * as t from 'io-ts'
import { canonicalText } from '../encoding/canonical.js'
import { verifySignature, type KeyPair } from '../identity/KeyPair.js'
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

const textToSign = (id: TransactionId): string => `carillon notarise 1\n${canonicalText(id)}`

export const signRequest = (key: KeyPair, id: TransactionId): string => key.sign(textToSign(id))

export const verifyRequest = (by: PublicKey, id: TransactionId, signature: string): boolean =>
  verifySignature(by, textToSign(id), signature)
