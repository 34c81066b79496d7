/**
 * The limits of what the command line prints.
 */
/** The limits of what the command line prints. */
export const cliLimits = {
  /** Lines `carillon run` prints in a second; the rest is counted and summed up in one line. */
  liveLinesPerSecond: 20,
} as const
