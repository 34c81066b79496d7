/**
 * Reads states, decides and finalises, and begins anew with fresh states when another writer was faster. Every try is made
 * of ordinary operations, so a replay goes through the same tries.
 */
import { isRight } from 'fp-ts/lib/Either.js'
import { CarillonError } from '../errors/CarillonError.js'
import { assertRetryPolicy, jitteredWait, type RetryPolicy } from '../flow/RetryPolicy.js'
import type { Finalised } from '../finality/Finalised.js'
import { TransactionBuilder } from '../ledger/TransactionBuilder.js'
import type { FlowBody } from './FlowDefinition.js'
import type { FlowIo } from './FlowIo.js'
import type { TogetherOptions } from './finality/finaliseTogether.js'

/** Reads, decides, and puts into `transaction` what is to be recorded. */
export type TransactWork<A> = (transaction: TransactionBuilder) => FlowBody<A>

/** Who else has to do with the transaction, and how often it is tried. */
export type TransactOptions = TogetherOptions & {
  /** What is left out is as in {@link transactRetry}. The first wait is before the third try; the second follows at once. */
  readonly retry?: Partial<RetryPolicy>
}

/** How a transaction is tried again unless it says otherwise. */
export const transactRetry: RetryPolicy = { attempts: 10, firstWaitMs: 100, longestWaitMs: 10_000, jitter: 1 }

/** What another writer can do to a transaction between reading and recording. It may be told by another party. */
const lostRace: ReadonlySet<unknown> = new Set([
  'state-consumed',
  'state-locked',
  'state-key-taken',
  'state-key-reserved',
])

const wasFaster = ({ code, details }: CarillonError): boolean =>
  lostRace.has(code === 'counterparty-failed' ? details['code'] : code)

const isEmpty = ({ inputs, outputs, references, commands }: TransactionBuilder): boolean =>
  inputs.length + outputs.length + references.length + commands.length === 0

const exhausted = (error: CarillonError, attempts: number): CarillonError =>
  new CarillonError(
    error.code,
    `It was tried ${attempts === 1 ? 'once' : `${attempts} times`}, and each time another was faster, the last time: ${error.message}`,
    { ...error.details, attempts },
    error,
  )

/** TypeScript sees to it that work is a generator; JavaScript does not. */
const bodyOf = <A>(body: FlowBody<A>): FlowBody<A> => {
  const given: unknown = body
  if (typeof given === 'object' && given !== null && Symbol.iterator in given) return body
  throw new CarillonError(
    'definition-invalid',
    'The work of io.transact must be a generator: io.transact(function* (tx) { … }), with the star.',
  )
}

const pause = function* (io: FlowIo, policy: RetryPolicy, tries: number): FlowBody<void> {
  // Whoever was faster is done by now, so most tries win the second time.
  if (tries === 1) return
  const id = policy.jitter === 0 ? '' : yield* io.newId()
  const waitMs = jitteredWait(policy, tries - 1, (bytes) => id.slice(0, bytes * 2))
  if (waitMs > 0) yield* io.sleep({ milliseconds: waitMs })
}

export const transact = function* <A>(
  io: FlowIo,
  work: TransactWork<A>,
  { retry, ...together }: TransactOptions,
): FlowBody<A | Finalised> {
  const policy = { ...transactRetry, ...retry }
  assertRetryPolicy('io.transact', policy)
  for (let tries = 1; ; tries++) {
    const transaction = new TransactionBuilder()
    const decided = yield* bodyOf(work(transaction))
    const isBuilder: boolean = decided instanceof TransactionBuilder
    if (!isBuilder && isEmpty(transaction)) return decided
    const recorded = yield* io.attempt(io.finalise(() => transaction, together))
    if (isRight(recorded)) return isBuilder ? recorded.right : decided
    if (!wasFaster(recorded.left)) throw recorded.left
    if (tries >= policy.attempts) throw exhausted(recorded.left, tries)
    yield* pause(io, policy, tries)
  }
}
