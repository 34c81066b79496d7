/**
 * What a notary has to be shown of a transaction, signed by this party. The record keeps how much is shown, and the
 * signature: by the time the flow is run again the notary may be of another kind, and the party sign with another key.
 */
import * as t from 'io-ts'
import { orThrow } from '../../errors/Decision.js'
import { checkSignatures, type SignedTransaction } from '../../ledger/SignedTransaction.js'
import { tearOff } from '../../ledger/TearOff.js'
import { componentsOf, sealBody } from '../../ledger/Transaction.js'
import type { NotaryRequest } from '../../notary/NotaryRequest.js'
import { valueAnswer } from '../../flow/Answer.js'
import { decodeResult } from '../../flow/decodeResult.js'
import { defineOperation } from '../../flow/defineOperation.js'
import { checkRecordable } from '../checkRecordable.js'
import type { FinalityReads } from '../FinalityReads.js'
import { verifyContracts } from '../verifyContracts.js'

export type NotaryRequestFor = { readonly kind: 'notaryRequest'; readonly signed: SignedTransaction }

/** What the record keeps of a request; the rest follows from the transaction. */
const ShownC = t.strict({ type: t.keyof({ whole: null, tearOff: null }), callerSignature: t.string })

const requestFor = (
  reads: FinalityReads,
  { signed }: NotaryRequestFor,
  { type, callerSignature }: t.TypeOf<typeof ShownC>,
): NotaryRequest => {
  if (type === 'whole') return { type, transaction: signed, callerSignature }
  const { id } = sealBody(signed.body)
  const shown = tearOff(id, componentsOf(signed.body), (group) => group === 'inputs' || group === 'references')
  const references = [...new Set(signed.body.references.map(({ transaction }) => transaction))]
  if (references.length === 0) return { type, tearOff: shown, callerSignature }
  // The header of a transaction says which notary its outputs stand under. Nothing else of it is shown.
  const referenced = references.map((other) => tearOff(other, componentsOf(reads.transactionBody(other)), () => false))
  return { type, tearOff: shown, referenced, callerSignature }
}

/** A transaction that this node could not record is not worth a notary's word: it would only freeze its inputs. */
const assertRecordable = (
  reads: FinalityReads,
  signed: SignedTransaction,
  flow: Parameters<typeof checkRecordable>[3],
) => {
  const { body } = signed
  const { id } = sealBody(body)
  orThrow(checkSignatures(reads.network, id, signed, { except: [body.notary.key], retired: true }))
  checkRecordable(reads, body, verifyContracts(reads, id, body), flow)
}

export const notaryRequest = defineOperation<NotaryRequestFor, FinalityReads>({
  kind: 'notaryRequest',
  signs: true,
  identity: ({ signed }) => ({ transaction: sealBody(signed.body).id }),
  label: () => 'prepare a request to the notary',
  decide: (reads, operation, flow) => {
    const { body } = operation.signed
    assertRecordable(reads, operation.signed, flow)
    // A validating notary is shown the whole transaction; the other kind only what it must see.
    const isPart = reads.network.notaryKind(body.notary.key) === 'nonValidating'
    const shown = {
      type: isPart ? ('tearOff' as const) : ('whole' as const),
      callerSignature: reads.sign('notary request', sealBody(body).id).signature,
    }
    return valueAnswer(requestFor(reads, operation, shown), shown)
  },
  revive: (reads, operation, recorded) => requestFor(reads, operation, decodeResult(ShownC, recorded)),
})
