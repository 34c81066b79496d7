/**
 * How long the text of a rule may be, so that reading it, and looking at all that it lists, stays cheap.
 */

/** Characters of a cron expression, an RRULE or a repetition. An RRULE that lists every day of the year has 1,500. */
export const longestRuleText = 2_000
