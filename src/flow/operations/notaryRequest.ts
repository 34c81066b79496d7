/**
 * What a notary has to be shown of a transaction, signed by this party. The same transaction gives the same request, so
 * the record does not keep it.
 */
import type { SigningDecision } from '../../decision/Decision.js'
import type { SignedTransaction } from '../../ledger/SignedTransaction.js'
import { tearOff } from '../../ledger/TearOff.js'
import { componentsOf, sealBody } from '../../ledger/Transaction.js'
import { signRequest, type NotaryRequest } from '../../notary/NotaryRequest.js'
import { valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'

export type NotaryRequestFor = { readonly kind: 'notaryRequest'; readonly signed: SignedTransaction }

/** A validating notary is shown the whole transaction; the other kind only what it must see. */
const requestFor = (decision: SigningDecision, { signed }: NotaryRequestFor): NotaryRequest => {
  const { id } = sealBody(signed.body)
  const callerSignature = signRequest(decision.key, id)
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
  perform: (decision, operation) => valueAnswer(requestFor(decision, operation)),
  revive: requestFor,
})
