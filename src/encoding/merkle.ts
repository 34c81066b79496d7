/**
 * Merkle trees over hashes, in the shape of RFC 6962: the left half is the largest power of two smaller than
 * the whole. Leaves and inner nodes are hashed with different prefixes, so one can never pass for the other.
 */
import { sha256, type Hash } from './hash.js'

export const leafHash = (text: string): Hash => sha256(`leaf\n${text}`)

export const nodeHash = (left: Hash, right: Hash): Hash => sha256(`node\n${left}${right}`)

const largestPowerBelow = (count: number): number => 2 ** (31 - Math.clz32(count - 1))

const rootOfRange = (leaves: readonly Hash[], from: number, until: number): Hash => {
  const first = leaves[from]
  if (first === undefined) return sha256('empty\n')
  if (until - from === 1) return first
  const middle = from + largestPowerBelow(until - from)
  return nodeHash(rootOfRange(leaves, from, middle), rootOfRange(leaves, middle, until))
}

/** The root over leaf hashes. No leaves have a root too, unlike any leaf or node. */
export const merkleRoot = (leaves: readonly Hash[]): Hash => rootOfRange(leaves, 0, leaves.length)

/**
 * The proof of every leaf: the sibling hashes that lead from it up to the root, nearest first. Each node is hashed once,
 * where proof by proof each would be hashed for every leaf.
 */
export const merkleProofs = (leaves: readonly Hash[]): readonly (readonly Hash[])[] => {
  const paths = leaves.map((): Hash[] => [])
  const climb = (from: number, until: number): Hash => {
    const first = leaves[from]
    if (first === undefined || until - from < 2) return first ?? merkleRoot([])
    const middle = from + largestPowerBelow(until - from)
    const left = climb(from, middle)
    const right = climb(middle, until)
    for (let index = from; index < until; index++) paths[index]?.push(index < middle ? right : left)
    return nodeHash(left, right)
  }
  climb(0, leaves.length)
  return paths
}

/** Beyond this many leaves {@link largestPowerBelow} is wrong; no batch comes near, but a forged proof may say so. */
const mostLeaves = 2 ** 31

/**
 * The root that a leaf and its proof lead to; undefined when the proof has the wrong length for the place. The
 * count alone is not bound by the root: trees of several sizes have the same way up from some places.
 */
export const rootFromProof = (leaf: Hash, index: number, count: number, path: readonly Hash[]): Hash | undefined => {
  if (!Number.isInteger(index) || !Number.isInteger(count) || index < 0 || index >= count) return undefined
  if (count > mostLeaves) return undefined
  // The turns are found from the root down and then taken from the leaf up.
  const turns: ('left' | 'right')[] = []
  let from = 0
  let until = count
  while (until - from > 1) {
    const middle = from + largestPowerBelow(until - from)
    if (index < middle) {
      turns.unshift('left')
      until = middle
    } else {
      turns.unshift('right')
      from = middle
    }
  }
  if (turns.length !== path.length) return undefined
  return turns.reduce<Hash>((below, turn, height) => {
    const sibling = path[height] ?? below
    return turn === 'left' ? nodeHash(below, sibling) : nodeHash(sibling, below)
  }, leaf)
}
