/**
 * The limits of the files of a network.
 */
const KiB = 1024

/** The limits of the files of a network. */
export const networkLimits = {
  /** Size of a network map file: some hundred bytes a member. */
  networkMapBytes: 8 * 1024 * KiB,
  /** How often a running node looks whether its map has changed: soon enough for whoever waits for the party that joined. */
  networkMapLookMs: 1_000,
  /** How long before a map ends a node begins to warn, once a day. */
  networkMapWarningMs: 30 * 86_400_000,
  /** How long a party that is to join waits for another that joins at the same moment. */
  networkLockWaitMs: 30_000,
} as const
