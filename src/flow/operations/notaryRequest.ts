/**
 * What a notary has to be shown of a transaction, signed by this party. The record keeps the signature alone: the rest
 * follows from the transaction, but by then the party may sign with another key.
 */
import * as t from 'io-ts'
import type { Decision } from '../../decision/Decision.js'
import type { SignedTransaction } from '../../ledger/SignedTransaction.js'
import { tearOff } from '../../ledger/TearOff.js'
import { componentsOf, sealBody } from '../../ledger/Transaction.js'
import { signRequest, type NotaryRequest } from '../../notary/NotaryRequest.js'
import { valueAnswer } from '../Answer.js'
import { decodeResult } from '../decodeResult.js'
import { defineOperation } from '../defineOperation.js'

export type NotaryRequestFor = { readonly kind: 'notaryRequest'; readonly signed: SignedTransaction }

/** A validating notary is shown the whole transaction; the other kind only what it must see. */
const requestFor = (decision: Decision, { signed }: NotaryRequestFor, callerSignature: string): NotaryRequest => {
  const { id } = sealBody(signed.body)
  if (decision.network.notaryKind(signed.body.notary.key) !== 'nonValidating')
    return { type: 'whole', transaction: signed, callerSignature }
  const shown = tearOff(id, componentsOf(signed.body), (group) => group === 'inputs' || group === 'references')
  return { type: 'tearOff', tearOff: shown, callerSignature }
}

export const notaryRequest = defineOperation<NotaryRequestFor>({
  kind: 'notaryRequest',
  signs: true,
  identity: ({ signed }) => ({ transaction: sealBody(signed.body).id }),
  label: () => 'prepare a request to the notary',
  perform: (decision, operation) => {
    const signature = signRequest(decision.key, decision.network.id, sealBody(operation.signed.body).id)
    return valueAnswer(requestFor(decision, operation, signature), signature)
  },
  revive: (decision, operation, recorded) => requestFor(decision, operation, decodeResult(t.string, recorded)),
})
