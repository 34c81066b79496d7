/**
 * The limits of a question to the vault.
 */
/** The limits of a question to the vault. */
export const vaultLimits = {
  /** Rows of one page of an outside query. */
  page: 1_000,
  /** Criteria of one query, counted through all its ands and ors. */
  criteriaPerQuery: 100,
} as const
