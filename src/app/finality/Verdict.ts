/**
 * What a signer makes of what it is asked to sign. A check may need to look things up first, and is then a part of the
 * flow, with operations of its own.
 */
import type { Either } from 'fp-ts/lib/Either.js'
import type { FlowBody } from '../FlowDefinition.js'

/** The reason to refuse, or nothing; or a part of the flow that comes to it. */
export type Verdict = Either<string, void> | FlowBody<Either<string, void>>

export const comeTo = function* (verdict: Verdict): FlowBody<Either<string, void>> {
  return '_tag' in verdict ? verdict : yield* verdict
}
