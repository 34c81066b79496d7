/**
 * What a notary has to be shown of a transaction, signed by this party. The record keeps how much is shown, and the
 * signature: by the time the flow is run again the notary may be of another kind, and the party sign with another key.
 */
import * as t from 'io-ts'
import type { SignedTransaction } from '../../ledger/SignedTransaction.js'
import { tearOff } from '../../ledger/TearOff.js'
import { componentsOf, sealBody } from '../../ledger/Transaction.js'
import type { NotaryRequest } from '../NotaryRequest.js'
import { valueAnswer } from '../../flow/Answer.js'
import { decodeResult } from '../../flow/decodeResult.js'
import { defineOperation } from '../../flow/defineOperation.js'
import type { NotaryReads } from '../NotaryReads.js'

export type NotaryRequestFor = { readonly kind: 'notaryRequest'; readonly signed: SignedTransaction }

/** What the record keeps of a request; the rest follows from the transaction. */
const ShownC = t.strict({ type: t.keyof({ whole: null, tearOff: null }), callerSignature: t.string })

const requestFor = (
  { signed }: NotaryRequestFor,
  { type, callerSignature }: t.TypeOf<typeof ShownC>,
): NotaryRequest => {
  if (type === 'whole') return { type, transaction: signed, callerSignature }
  const { id } = sealBody(signed.body)
  const shown = tearOff(id, componentsOf(signed.body), (group) => group === 'inputs' || group === 'references')
  return { type, tearOff: shown, callerSignature }
}

export const notaryRequest = defineOperation<NotaryRequestFor, NotaryReads>({
  kind: 'notaryRequest',
  signs: true,
  identity: ({ signed }) => ({ transaction: sealBody(signed.body).id }),
  label: () => 'prepare a request to the notary',
  decide: ({ sign, network }, operation) => {
    const { body } = operation.signed
    // A validating notary is shown the whole transaction; the other kind only what it must see.
    const isPart = network.notaryKind(body.notary.key) === 'nonValidating'
    const shown = {
      type: isPart ? ('tearOff' as const) : ('whole' as const),
      callerSignature: sign('notary request', sealBody(body).id).signature,
    }
    return valueAnswer(requestFor(operation, shown), shown)
  },
  revive: (_decision, operation, recorded) => requestFor(operation, decodeResult(ShownC, recorded)),
})
