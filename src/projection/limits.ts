/**
 * The limits of projections.
 */
import type { LimitsLike } from '../limits.js'

/** The limits of projections. */
export const projectionLimits = {
  /** Events that a projection takes in at once. */
  eventsPerBatch: 1_000,
  /** Between two times that a result is saved; one that was not saved is folded again after a restart. */
  saveEveryMs: 1_000,
  /** Revisions without an event for a projection, after which its checkpoint is moved all the same. */
  revisionsPerCheckpoint: 10_000,
  /** The wait after a store of results was away; doubled each time. */
  retryFirstMs: 100,
  /** The longest wait between two tries. */
  retryLongestMs: 10_000,
  /** A store that has not answered after so long is shown as away; its answer is still waited for. */
  answerMs: 10_000,
  /** How long a node that stops waits for the stores of its projections. */
  stopMs: 5_000,
} as const

/** The limits of projections, as a node was given them. */
export type ProjectionLimits = LimitsLike<typeof projectionLimits>
