/**
 * Lets an operation do its work. What it has changed is taken back when it refuses, and when it throws: code of an app
 * may, and a transaction that was taken must come to an end.
 */
import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import type { FlowBody } from 'carillon'
import type { Books } from '../Books.js'
import { refuse, ResponseCodeC, type ResponseCode } from '../model/ResponseCode.js'
import type { Occasion, ReadOperation, Receipted } from '../operations/Operation.js'

export const performSafely = function* (
  books: Books,
  operation: ReadOperation,
  occasion: Occasion,
): FlowBody<Either<ResponseCode, Receipted>> {
  const putBack = books.mark()
  try {
    const performed = yield* operation.perform(books, occasion)
    // What one commit cannot hold is not done at all.
    const done = books.isTooLarge ? refuse('TRANSACTION_OVERSIZE') : performed
    if (!isLeft(done)) return done
    putBack()
    // A code that cannot be recorded must not take the transaction with it.
    return ResponseCodeC.is(done.left) ? done : refuse('FAIL_INVALID')
  } catch {
    putBack()
    return refuse('FAIL_INVALID')
  }
}
