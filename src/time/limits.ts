/**
 * How long a wait of the machine is trusted.
 */
/** How long a wait of the machine is trusted. */
export const timeLimits = {
  /** Host timers are not trusted for longer: the clock may be set, the machine may sleep. */
  longestTrustedWaitMs: 1_000,
} as const
