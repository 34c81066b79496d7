/**
 * The limits of a check of the log.
 */
/** The limits of a check of the log. */
export const historyLimits = {
  /** Problems a check of the log lists; one alteration gives few, and a list without end helps nobody. */
  problemsReported: 100,
} as const
