/**
 * Cuts a list down to a small one that still fails: halves first, then smaller and smaller pieces. It need not be the
 * smallest, and the number of tries is bounded.
 */

/** `fails` says whether a shorter list still fails in the same way. Gives the shortest list found. */
export const shrink = async <A>(
  list: readonly A[],
  fails: (shorter: readonly A[]) => Promise<boolean>,
  mostTries: number,
): Promise<readonly A[]> => {
  let best = list
  let tries = 0
  let size = Math.ceil(best.length / 2)
  while (size >= 1 && tries < mostTries) {
    let cut = false
    for (let from = 0; from < best.length && tries < mostTries;) {
      const shorter = [...best.slice(0, from), ...best.slice(from + size)]
      tries += 1
      if (shorter.length < best.length && (await fails(shorter))) {
        best = shorter
        cut = true
      } else from += size
    }
    if (size === 1 && !cut) break
    size = size === 1 ? 1 : Math.ceil(size / 2)
  }
  return best
}
