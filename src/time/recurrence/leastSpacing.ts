/**
 * How close the occurrences of a rule may lie, for the rules that could name any length: cron and RRULE know no unit
 * below a second either.
 */

/** No interval and no step of a repetition is shorter. */
export const leastSpacingMs = 1_000
