/**
 * What a flow yields in place of an operation: something of an unknown kind, or with arguments that have no identity.
 * The flow gets an error, and its record says that it asked.
 */
import { CarillonError } from '../errors/CarillonError.js'
import { defineOperation } from './defineOperation.js'

export type InvalidOperation = { readonly kind: 'invalid' }

export const notAnOperation = (): CarillonError =>
  new CarillonError(
    'flow-threw',
    'The flow yielded something that is not an operation. Write yield* (with the star) before every operation of io.',
  )

export const invalidOperation = defineOperation<InvalidOperation, unknown>({
  kind: 'invalid',
  identity: () => ({}),
  label: () => 'an invalid operation',
  decide: () => {
    throw notAnOperation()
  },
})
