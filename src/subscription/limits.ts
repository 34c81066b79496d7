/**
 * The limits of subscriptions.
 */
/** The limits of subscriptions. */
export const subscriptionLimits = {
  /** Characters of recent ticks that are kept for those who follow the log live; who is further behind reads the log. */
  recentCharacters: 4_194_304,
  /** Events after which whoever catches up lets other work go first. */
  eventsPerTurn: 500,
} as const
