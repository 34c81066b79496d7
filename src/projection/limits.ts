/**
 * The limits of projections.
 */
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
  retryLongestMs: 10_000,
} as const
