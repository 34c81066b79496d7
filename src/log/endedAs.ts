/**
 * How a flow ended, as people are told it: one that completed with a refusal has refused.
 */
import type { EventOf, FlowOutcome } from './events.js'

/** How a flow ended, or that it refused. */
export type EndedAs = FlowOutcome | 'refused'

export const endedAs = ({ outcome, refusal }: Pick<EventOf<'FlowEnded'>, 'outcome' | 'refusal'>): EndedAs =>
  refusal === undefined ? outcome : 'refused'
