/**
 * The limits of attempts to start what is due.
 */
import type { LimitsLike } from '../limits.js'

/** The limits of attempts to start what is due. */
export const agendaLimits = {
  /** First wait before a failed start is tried again; it doubles from there. */
  startRetryFirstMs: 1_000,
  /** Longest wait between two tries of a failed start. */
  startRetryLongestMs: 60_000,
  /** Failed starts before an activity is parked for a person to look at. */
  startAttempts: 5,
} as const

/** The limits of attempts, as a node was given them. */
export type AgendaLimits = LimitsLike<typeof agendaLimits>
