/**
 * A hash tree whose nodes have up to sixteen children, for few leaves that are made in great numbers: a tree of
 * sixteen leaves has no inner node at all. What it comes to is not one hash but the hashes at its top, which the
 * owner of the tree binds to what the tree is about, its number of leaves above all.
 */
import { sha256, type Hash } from './hash.js'

const width = 16

const nodeHash = (children: readonly Hash[]): Hash => sha256(`wide node\n${children.join('')}`)

const groupOf = (place: number): number => Math.floor(place / width)

const parentsOf = (level: readonly Hash[]): readonly Hash[] =>
  Array.from({ length: Math.ceil(level.length / width) }, (_, group) =>
    nodeHash(level.slice(group * width, (group + 1) * width)),
  )

/** The hashes at the top, in a row. */
export const treeTop = (leaves: readonly Hash[]): string => {
  let level = leaves
  while (level.length > width) level = parentsOf(level)
  return level.join('')
}

/** The groups that hold some of these places, in order. */
const groupsOf = (places: Iterable<number>): readonly number[] =>
  [...new Set(Array.from(places, groupOf))].sort((a, b) => a - b)

/** The hashes that lead from some leaves to the top: level by level, those of their neighbours that are not shown. */
export const proofOfMany = (leaves: readonly Hash[], places: readonly number[]): readonly Hash[] => {
  const proof: Hash[] = []
  let level = leaves
  let shown: ReadonlySet<number> = new Set(places)
  const hide = (from: number, until: number): void => {
    proof.push(...level.slice(from, until).filter((_, offset) => !shown.has(from + offset)))
  }
  while (level.length > width) {
    const groups = groupsOf(shown)
    for (const group of groups) hide(group * width, (group + 1) * width)
    level = parentsOf(level)
    shown = new Set(groups)
  }
  hide(0, level.length)
  return proof
}

/** The top that some leaves and their proof lead to; undefined when the proof does not fit the places. */
export const topFromProof = (
  leaves: ReadonlyMap<number, Hash>,
  count: number,
  proof: readonly Hash[],
): string | undefined => {
  if (![...leaves.keys()].every((place) => Number.isInteger(place) && place >= 0 && place < count)) return undefined
  let used = 0
  let shown = leaves
  let size = count
  const fill = (from: number, until: number): readonly Hash[] | undefined => {
    const hashes: Hash[] = []
    for (let place = from; place < until; place++) {
      const hash = shown.get(place) ?? proof[used++]
      if (hash === undefined) return undefined
      hashes.push(hash)
    }
    return hashes
  }
  while (size > width) {
    const parents = new Map<number, Hash>()
    for (const group of groupsOf(shown.keys())) {
      const children = fill(group * width, Math.min((group + 1) * width, size))
      if (children === undefined) return undefined
      parents.set(group, nodeHash(children))
    }
    shown = parents
    size = Math.ceil(size / width)
  }
  const top = fill(0, size)
  return top !== undefined && used === proof.length ? top.join('') : undefined
}
