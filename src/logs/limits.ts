/**
 * The limits of the ways to a log on another server.
 */
const KiB = 1024

/** The limits of the ways to a log on another server. */
export const remoteLogLimits = {
  /** Time to reach a server that keeps a log, and to be let in. */
  logConnectMs: 10_000,
  /** Time for one answer of such a server. Later, an append counts as unknown and is looked for. */
  logAnswerMs: 10_000,
  /** Time for the first answer of a server of a cluster that was found anew: it may be frozen, and another one may lead. */
  logProveMs: 1_500,
  /** Time without anything new after which a follower asks whether the server is still there. */
  logIdleMs: 5_000,
  /** Time between two looks whether a stream still holds all its events: somebody may have set it to forget them. */
  logCheckMs: 20_000,
  /** Time for which the head is read again when an append was refused and nothing new can be seen yet. */
  logRefusalMs: 2_000,
  /** A writer behind another one on the server waits no longer, so that writers whose answers were lost do not pile up. */
  logLockMs: 5_000,
  /** Time beyond a deadline that a client has kept itself, before its call is given up. */
  logGraceMs: 1_000,
  /** Time between two looks at a log that is followed, in case the server's call was lost. */
  logPollMs: 1_000,
  /** Bytes of events after which one question to a far log fetches no more. */
  logPageBytes: 4 * 1024 * KiB,
  /** Ticks that one question to a far log fetches at most. */
  logPageTicks: 1_000,
} as const
