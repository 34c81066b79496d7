/**
 * What the failure of a flow means to others: to the parties it was talking with, and to the state that started it.
 */
import { CarillonError, recordRefusal, withoutTrace } from '../errors/CarillonError.js'
import { withoutPlaces } from '../errors/codePlace.js'
import type { Message } from '../log/Message.js'

/**
 * What the other party is told of a failure: typed errors are meant to be read, anything else stays at home, as does
 * where in the code it happened.
 */
export const failureFor = (error: unknown): Extract<Message, { readonly kind: 'error' }> => {
  if (!(error instanceof CarillonError)) return { kind: 'error', code: 'flow-threw', message: 'The flow failed.' }
  const told = withoutTrace(recordRefusal(error, 'flow-threw'))
  return { kind: 'error', ...told, message: withoutPlaces(told.message) }
}

/** The state that an error says was consumed by another, whether this node, a notary or a counterparty said so. */
export const consumedRefOf = (error: unknown): unknown => {
  if (!(error instanceof CarillonError)) return undefined
  const code = error.code === 'counterparty-failed' ? error.details['code'] : error.code
  return code === 'state-consumed' ? error.details['ref'] : undefined
}
