/**
 * What the work for one reader costs, and how long the reader waits before more of it is done. It is told of all work that is
 * done for this reader alone.
 */
export type Pace = {
  /** Does something at once, and counts the time that it takes. */
  readonly work: <A>(does: () => A) => A
  /** Waits, when there is something to wait for. */
  readonly rest: () => Promise<void> | undefined
}

/** Of readers within the process: nothing is counted. */
export const freely: Pace = { work: (does) => does(), rest: () => undefined }
