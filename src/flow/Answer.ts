/**
 * What an operation comes to: a value, an error to throw into the flow, a wait, or facts to record first.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import type { CarillonError } from '../errors/CarillonError.js'
import type { Decision } from '../errors/Decision.js'
import type { Json } from '../encoding/canonical.js'
import type { IndexedValues } from '../ledger/IndexedValue.js'
import type { StateRef } from '../ledger/StateRef.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import type { DomainEvent, EventOf } from '../log/events.js'
import type { FlowId } from '../log/FlowId.js'
import type { SessionRole } from '../log/Message.js'
import type { SessionId } from '../log/SessionId.js'

/** An answer the flow can go on with. `recorded` is what the record keeps of a value; states are kept as refs. */
export type Answer =
  | { readonly kind: 'value'; readonly value: unknown; readonly recorded: Json | undefined }
  | { readonly kind: 'error'; readonly error: CarillonError }

/** When a wait is over although nothing has come; undefined: never. */
type Timed = { readonly untilMs: number | undefined }

/** What a flow is suspended for: an instant, the end of the step it asked for, or something that is yet to be recorded. */
export type Wait = { readonly kind: 'until'; readonly atMs: number } | { readonly kind: 'step' } | TimedWait

/** A wait for something that is yet to be recorded. Whoever waited in vain is answered with {@link timedOut}. */
export type TimedWait = Timed &
  (
    | { readonly kind: 'message'; readonly session: SessionId; readonly role: SessionRole; readonly seq: number }
    | ({ readonly kind: 'state'; readonly type: string } & StateWanted)
    | { readonly kind: 'consumption'; readonly ref: StateRef }
    | { readonly kind: 'transaction'; readonly transaction: TransactionId }
    | { readonly kind: 'signal'; readonly signal: string }
    | { readonly kind: 'flow'; readonly flow: FlowId }
  )

/** The state of a type that is waited for: by its key, or by the values of indexed fields. */
export type StateWanted = { readonly key: string } | { readonly where: IndexedValues }

/** The flow ends here, and another one goes on in its place. */
export type Continuation = {
  readonly kind: 'continuation'
  /** The start of the other one, which surely can be recorded. */
  readonly started: EventOf<'FlowStarted'>
}

/** Facts that an operation states. The engine records them, and asks for what comes next when the views show them. */
export type Facts = {
  readonly kind: 'facts'
  readonly events: readonly DomainEvent[]
  readonly next: () => Decided
}

/** What the decider of an operation returns. A refusal is an answer, too: the error that the flow is to meet. */
export type Decided = Answer | Wait | Continuation | Facts

export const valueAnswer = (value: unknown, recorded?: Json): Answer => ({ kind: 'value', value, recorded })

/** The answer to a wait that has ended before anything came. The record tells it from every other answer. */
export const timedOut: Answer = valueAnswer(undefined, null)

/** Facts, and the answer that follows from them. */
export const factsAnswer = (events: readonly DomainEvent[], value?: unknown, recorded?: Json): Facts => ({
  kind: 'facts',
  events,
  next: () => valueAnswer(value, recorded),
})

/** Goes on with what was decided; a refusal is the answer. */
export const answerTo = <A>(decision: Decision<A>, goOn: (decided: A) => Decided): Decided =>
  isLeft(decision) ? { kind: 'error', error: decision.left } : goOn(decision.right)

/** Decides on one item after another, each when the facts of those before it are recorded; then answers. */
export const oneByOne = <A>(
  items: readonly A[],
  decide: (item: A) => Decision<readonly DomainEvent[]>,
  answer: () => Answer,
  place = 0,
): Decided => {
  const item = items[place]
  if (item === undefined) return answer()
  return answerTo(decide(item), (events) => ({
    kind: 'facts',
    events,
    next: () => oneByOne(items, decide, answer, place + 1),
  }))
}
