/**
 * The limits of a log: how large one event may be, and how often a log on another server is asked again.
 */
const KiB = 1024

/** The limits of a log: how large one event may be, and how often a log on another server is asked again. */
export const logLimits = {
  /** A single fact may not be larger. */
  factBytes: 256 * KiB,
  /** First wait before a log on another server is asked again; it doubles from there. */
  logRetryFirstMs: 100,
  /** Longest wait between two such tries: a server that comes back is met soon. */
  logRetryLongestMs: 5_000,
  /** First wait before a lost acknowledgement is looked for: most often the answer alone was lost. */
  logReadBackFirstMs: 10,
  /** Longest wait between two tries to follow a log, or to find out about an append: another server may lead any time. */
  logFollowLongestMs: 1_000,
} as const
