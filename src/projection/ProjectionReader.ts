/**
 * How a program reads the result of a projection.
 */

/** Reads the result of a projection. */
export type ProjectionReader<R> = {
  /** The result as far as it has come. While a new version catches up, the result of the older one. */
  readonly read: () => Promise<R>
  /** Waits until the projection has taken in a revision, so that a program reads what it has written. */
  readonly readAt: (revision: number, options?: { readonly signal?: AbortSignal }) => Promise<R>
}
