/**
 * What an operation comes to: a value, an error to throw into the flow, a wait, or facts to record first.
 */
import type { CarillonError } from '../errors/CarillonError.js'
import type { Json } from '../encoding/canonical.js'
import type { DomainEvent } from '../log/events.js'
import type { SessionRole } from '../log/Message.js'
import type { SessionId } from '../log/SessionId.js'

/** An answer the flow can go on with. `recorded` is what the record keeps of a value; states are kept as refs. */
export type Answer =
  | { readonly kind: 'value'; readonly value: unknown; readonly recorded: Json | undefined }
  | { readonly kind: 'error'; readonly error: CarillonError }

/** What a flow is suspended for: an instant, a message of a session, or the end of the step it asked for. */
export type Wait =
  | { readonly kind: 'until'; readonly atMs: number }
  | { readonly kind: 'message'; readonly session: SessionId; readonly role: SessionRole; readonly seq: number }
  | { readonly kind: 'step' }

/** Facts that an operation states. The engine records them, and asks for what comes next when the views show them. */
export type Facts = {
  readonly kind: 'facts'
  readonly events: readonly DomainEvent[]
  readonly next: () => Decided
}

/** What the decider of an operation returns. A refusal is thrown, and becomes the flow's error. */
export type Decided = Answer | Wait | Facts

export const valueAnswer = (value: unknown, recorded?: Json): Answer => ({ kind: 'value', value, recorded })

/** Facts, and the answer that follows from them. */
export const factsAnswer = (events: readonly DomainEvent[], value?: unknown, recorded?: Json): Facts => ({
  kind: 'facts',
  events,
  next: () => valueAnswer(value, recorded),
})

/** Decides on one item after another, each when the facts of those before it are recorded; then answers. */
export const oneByOne = <A>(
  items: readonly A[],
  decide: (item: A) => readonly DomainEvent[],
  answer: () => Answer,
  place = 0,
): Decided => {
  const item = items[place]
  if (item === undefined) return answer()
  return { kind: 'facts', events: decide(item), next: () => oneByOne(items, decide, answer, place + 1) }
}
