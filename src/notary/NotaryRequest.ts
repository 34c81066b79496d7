/**
 * What a notary is asked: a whole transaction if it validates, otherwise only what it must see to keep states
 * from being consumed twice. The caller signs the request, so that it can be held to it.
 */
import * as t from 'io-ts'
import { verifySignature } from '../identity/KeyPair.js'
import { textToSign, type NetworkId } from '../identity/NetworkId.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { SignedTransactionC } from '../ledger/SignedTransaction.js'
import { TearOffC } from '../ledger/TearOff.js'
import type { TransactionId } from '../ledger/TransactionId.js'

export const NotaryRequestC = t.union(
  [
    t.strict({ type: t.literal('whole'), transaction: SignedTransactionC, callerSignature: t.string }),
    t.intersection([
      t.strict({ type: t.literal('tearOff'), tearOff: TearOffC, callerSignature: t.string }),
      t.exact(
        t.partial({
          /** Of each transaction whose outputs are referenced: its header, which names their notary, and nothing else. */
          referenced: t.readonlyArray(TearOffC),
        }),
      ),
    ]),
  ],
  'NotaryRequest',
)
export type NotaryRequest = t.TypeOf<typeof NotaryRequestC>

/** Whether a caller has signed its request to notarise a transaction. */
export const verifyRequest = (by: PublicKey, network: NetworkId, id: TransactionId, signature: string): boolean =>
  verifySignature(by, textToSign('notary request', network, id), signature)
