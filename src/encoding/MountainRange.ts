/**
 * A Merkle tree that grows at its right end, kept as its peaks: the roots of its full parts, from left to right. It
 * needs a handful of hashes for any number of leaves, and its root is that of {@link merkleRoot} over the same leaves.
 */
import type { Hash } from './hash.js'
import { merkleRoot, nodeHash } from './merkle.js'

/** How many leaves there are, and the roots of the full trees they form, the largest first. */
export type MountainRange = { readonly leaves: number; readonly peaks: readonly Hash[] }

export const emptyRange: MountainRange = { leaves: 0, peaks: [] }

/** The range with one more leaf: two trees of the same height become one, as adding 1 carries over. */
export const grow = ({ leaves, peaks }: MountainRange, leaf: Hash): MountainRange => {
  const grown = [...peaks]
  let last = leaf
  for (let rest = leaves; rest % 2 === 1; rest = Math.floor(rest / 2)) {
    const left = grown.pop()
    if (left !== undefined) last = nodeHash(left, last)
  }
  grown.push(last)
  return { leaves: leaves + 1, peaks: grown }
}

/** The root over all leaves: the peaks joined from the right. */
export const rangeRoot = ({ peaks }: MountainRange): Hash =>
  peaks.length === 0 ? merkleRoot([]) : peaks.reduceRight((right, left) => nodeHash(left, right))

type Peak = { readonly hash: Hash; readonly height: number; readonly holds: boolean }

/** Gathers the way from one leaf up to the root while the leaves go by, without keeping them. */
export class PathFinder {
  readonly #path: Hash[] = []
  readonly #peaks: Peak[] = []

  /** Adds the next leaf; one of them is the one whose way is sought. */
  add(leaf: Hash, isSought: boolean): void {
    let last: Peak = { hash: leaf, height: 0, holds: isSought }
    for (;;) {
      const left = this.#peaks.at(-1)
      if (left?.height !== last.height) break
      this.#peaks.pop()
      last = this.#join(left, last, this.#path)
    }
    this.#peaks.push(last)
  }

  /** The sibling hashes from the leaf up to the root over all leaves so far, nearest first. */
  path(): readonly Hash[] {
    const path = [...this.#path]
    this.#peaks.reduceRight((right, left) => this.#join(left, right, path))
    return path
  }

  #join(left: Peak, right: Peak, path: Hash[]): Peak {
    if (left.holds) path.push(right.hash)
    else if (right.holds) path.push(left.hash)
    return { hash: nodeHash(left.hash, right.hash), height: left.height + 1, holds: left.holds || right.holds }
  }
}
