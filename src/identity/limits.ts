/**
 * The limits of keys and of network maps. All members of a network share them.
 */
/** The limits of keys and of network maps. */
export const identityLimits = {
  /** Depth of composite keys within composite keys. */
  keyDepth: 32,
  /** Parties in a network map. */
  members: 10_000,
  /** How long a map is valid that the root signs: whoever withholds a newer one is found out by then. */
  networkMapValidMs: 366 * 86_400_000,
  /** Verified signatures that are remembered, twice over: those of some pages of history. */
  signaturesRemembered: 8_192,
} as const
