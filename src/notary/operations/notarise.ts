/**
 * The notary's decision on a request, and its signature.
 */
import type { Party } from '../../identity/Party.js'
import { decideNotarisation } from '../decideNotarisation.js'
import type { NotaryRequest } from '../NotaryRequest.js'
import { answerTo, factsAnswer } from '../../flow/Answer.js'
import { defineOperation } from '../../flow/defineOperation.js'
import type { NotaryReads } from '../NotaryReads.js'

export type Notarise = { readonly kind: 'notarise'; readonly request: NotaryRequest; readonly caller: Party }

export const notarise = defineOperation<Notarise, NotaryReads>({
  kind: 'notarise',
  signs: true,
  statesFacts: true,
  identity: ({ request, caller }) => ({ request, caller: caller.key }),
  label: ({ caller }) => `notarise for ${caller.name}`,
  decide: (reads, { request, caller }) =>
    answerTo(decideNotarisation(reads, request, caller), ({ id, events }) => {
      const signature = reads.sign('transaction', id)
      return factsAnswer(events, signature, signature)
    }),
})
