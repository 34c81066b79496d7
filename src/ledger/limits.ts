/**
 * The limits of a transaction and of its states. All members of a network share them.
 */
/** The limits of a transaction and of its states. */
export const ledgerLimits = {
  /** Inputs, references, outputs and commands of one transaction, each. */
  componentsPerTransaction: 1_000,
  /** Text in an indexed field: enough for a name or an identifier, and short enough for an index. */
  indexedTextLength: 200,
  /** Indexed fields of one kind of state: each costs a row in an index for every state. */
  indexedFields: 16,
} as const
