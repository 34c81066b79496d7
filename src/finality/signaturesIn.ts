/**
 * The signatures in a page of history that another party sends, before anything is decided about it: enough of them are
 * worth a thread.
 */
import { isRight } from 'fp-ts/lib/Either.js'
import type { NetworkId } from '../identity/NetworkId.js'
import type { Claimed } from '../identity/verifiedSignatures.js'
import { sealBody } from '../ledger/Transaction.js'
import { textSigned } from '../ledger/signatures.js'
import type { Envelope } from '../log/Message.js'
import { HistoryC } from './protocol.js'

/** About how many different signatures an envelope brings: nothing in it has been checked yet, and little is spent on it. */
export const countSignatures = (envelope: Envelope): number => {
  if (envelope.kind !== 'message' || envelope.message.kind !== 'data') return 0
  const { payload } = envelope.message
  if (typeof payload !== 'object' || payload === null || !('transactions' in payload)) return 0
  const { transactions } = payload
  if (!Array.isArray(transactions)) return 0
  const different = new Set<unknown>()
  for (const transaction of transactions as readonly unknown[]) {
    const signatures: unknown = (transaction as { readonly signatures?: unknown } | null)?.signatures
    if (!Array.isArray(signatures)) return 0
    // The transactions of one batch share a signature, which is verified once for all of them.
    for (const each of signatures as readonly unknown[])
      different.add((each as { readonly signature?: unknown } | null)?.signature)
  }
  return different.size
}

/** The signatures an envelope brings, with what they are said to sign. */
export const signaturesIn = (network: NetworkId, envelope: Envelope): readonly Claimed[] => {
  if (envelope.kind !== 'message' || envelope.message.kind !== 'data') return []
  const page = HistoryC.decode(envelope.message.payload)
  if (!isRight(page)) return []
  return page.right.transactions.flatMap(({ body, signatures }) => {
    const { id } = sealBody(body)
    return signatures.flatMap((signature) => {
      const text = textSigned(network, id, signature)
      return text === undefined ? [] : [{ by: signature.by, text, signature: signature.signature }]
    })
  })
}
