/**
 * Cuts a page out of rows that were read.
 */
import type { Page } from '../../vault/query/VaultQuery.js'

/** One row more than asked for was read, which shows whether there is another page. */
export const pageOf = <R, A, C>(
  rows: readonly R[],
  size: number,
  present: (row: R) => A,
  cursorOf: (row: R) => C,
): Page<A, C> => {
  const shown = rows.slice(0, size)
  const last = shown.at(-1)
  return { items: shown.map(present), next: rows.length > size && last !== undefined ? cursorOf(last) : undefined }
}
