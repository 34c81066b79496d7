/**
 * The notary's decision on a request, and its signature.
 */
import type { Party } from '../../identity/Party.js'
import { decideNotarisation } from '../../notary/decideNotarisation.js'
import type { NotaryRequest } from '../../notary/NotaryRequest.js'
import { valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'

export type Notarise = { readonly kind: 'notarise'; readonly request: NotaryRequest; readonly caller: Party }

export const notarise = defineOperation<Notarise>({
  kind: 'notarise',
  signs: true,
  statesFacts: true,
  identity: ({ request, caller }) => ({ request, caller: caller.key }),
  label: ({ caller }) => `notarise for ${caller.name}`,
  perform: (decision, { request, caller }) => {
    const signature = decideNotarisation(decision, request, caller)
    return valueAnswer(signature, signature)
  },
})
