/**
 * The limits of transactions with other parties, and of the history that is sent with them. Flows are run again over their record, so these are not options.
 */
const KiB = 1024

/** The limits of transactions with other parties, and of the history that is sent with them. */
export const finalityLimits = {
  /**
   * A transaction that is to be agreed with others: with everyone's signatures it must still fit into a message,
   * and it is recorded once more, as the flow's proposal.
   */
  sharedTransactionBytes: 128 * KiB,
  /** Bytes of one page of history sent to another party. */
  historyPageBytes: 192 * KiB,
  /**
   * Transactions walked back at first when another party's knowledge is compared: mostly it lacks the last few. Each further walk
   * is four times as long.
   */
  historyFirstWalk: 16,
  /** Transactions walked back in one operation at most. */
  historyWalk: 2_500,
  /** How often a notary that is busy is asked again before the flow gives up: for hours, at the waits it asks for. */
  notaryAttempts: 200,
  /** Transactions with others that their contracts have accepted and that are kept in memory until they are final. */
  acceptedKept: 64,
} as const
