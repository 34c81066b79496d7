/**
 * The limits of a lease.
 */
/** The limits of a lease. */
export const standbyLimits = {
  /** How long a leader may be silent before a standby leads: longer than any pause a healthy process makes. */
  leaseMs: 10_000,
  /** A shorter lease could not be renewed in time. */
  shortestLeaseMs: 100,
} as const
