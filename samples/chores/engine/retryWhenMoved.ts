/**
 * Tries a part of a flow again when a state it had looked up was consumed before its transaction came about. Each
 * try looks everything up anew, so it ends as soon as it gets its turn.
 */
import { isRight } from 'fp-ts/lib/Either.js'
import type { FlowBody, FlowIo } from 'carillon'

export const retryWhenMoved = function* <R>(io: FlowIo, part: () => FlowBody<R>): FlowBody<R> {
  for (;;) {
    const tried = yield* io.attempt(part())
    if (isRight(tried)) return tried.right
    if (tried.left.code !== 'state-consumed') throw tried.left
  }
}
