/**
 * The bound on what one question about recurring dates may list.
 */

/** How many occurrences one answer may list, and how far a count may be counted. */
export const mostOccurrences = 10_000
