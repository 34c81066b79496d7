/**
 * Submits any other transaction: whoever must sign has signed it, so it is done at once.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import { defineFlow, type FlowBody, type FlowDefinition, type Json } from 'carillon'
import type { Books } from '../Books.js'
import { handleTransaction, refused, type Worked } from '../handling/handleTransaction.js'
import { performSafely } from '../handling/performSafely.js'
import { requiredNow } from '../handling/readiness.js'
import { missingFrom, namesTooMany, primitivesIn } from '../model/Needs.js'
import { witness } from '../model/SignatureMap.js'
import { signedTextOf, SignedTransactionC, type SignedTransaction } from '../model/TransactionBody.js'
import type { Response } from '../model/TransactionRecord.js'
import type { Occasion, Operations } from '../operations/Operation.js'

export type SubmitFlow = FlowDefinition<SignedTransaction<Json>, Response>

const kindOf = (operation: Json): string =>
  typeof operation === 'object' && operation !== null && 'kind' in operation && typeof operation['kind'] === 'string'
    ? operation['kind']
    : ''

const work = function* (
  books: Books,
  { body, sigMap }: SignedTransaction<Json>,
  operations: Operations,
  occasion: Occasion,
): FlowBody<Worked> {
  const operation = operations.get(kindOf(body.operation))?.read(body.operation)
  if (operation === undefined) return refused('NOT_SUPPORTED')
  if (isLeft(operation)) return refused(operation.left)
  if (namesTooMany(operation.right.needs)) return refused('TRANSACTION_OVERSIZE')
  const required = yield* requiredNow(books, occasion.payer, operation.right.needs)
  // Whoever names an account or a topic that is not there is told so by the operation itself.
  if (!isLeft(required)) {
    const { signed } = witness(sigMap, primitivesIn(required.right), signedTextOf(occasion.settings.ledgerID, body))
    const missing = missingFrom(required.right, signed)
    if (missing !== undefined) return refused(missing)
  }
  const performed = yield* performSafely(books, operation.right, occasion)
  if (isLeft(performed)) return refused(performed.left)
  return isLeft(required) ? refused('INVALID_SIGNATURE') : { status: 'SUCCESS', receipt: performed.right }
}

export const submitFlow = (operations: Operations): SubmitFlow =>
  defineFlow({
    name: 'scheduled-transactions/Submit',
    input: SignedTransactionC,
    run: (io, signed): FlowBody<Response> =>
      handleTransaction(io, signed, {
        purpose: 'submit',
        kind: kindOf(signed.body.operation),
        work: (books, occasion) => work(books, signed, operations, occasion),
      }),
  })
