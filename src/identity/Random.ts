/**
 * Randomness as an input: what it gives is recorded, so a decision can be repeated. Simulations seed it.
 */
export type Random = {
  /** So many random bytes, in hex. */
  readonly hex: (bytes: number) => string
}
