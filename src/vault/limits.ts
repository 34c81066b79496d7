/**
 * The limits of the vault: of a question to it, and of what is kept free for a flow.
 */
/** The limits of the vault: of a question to it, and of what is kept free for a flow. */
export const vaultLimits = {
  /** Rows of one page of an outside query. */
  page: 1_000,
  /** Criteria of one query, counted through all its ands and ors. */
  criteriaPerQuery: 100,
  /**
   * How long a key is kept for a flow that collects signatures. After that another flow may reserve it, so that a party that
   * never answers holds no key for ever.
   */
  keyReservedMs: 3_600_000,
} as const
