import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Hash } from './hash.js'
import { leafHash, merkleProofs, merkleRoot, rootFromProof } from './merkle.js'
import { emptyRange, grow, PathFinder, rangeRoot, type MountainRange } from './MountainRange.js'

const leavesOf = (count: number): readonly Hash[] => Array.from({ length: count }, (_, place) => leafHash(`${place}`))
const rangeOver = (leaves: readonly Hash[]): MountainRange => leaves.reduce(grow, emptyRange)

describe('a mountain range', () => {
  it('has the root of the Merkle tree over the same leaves, and as few peaks as its count has ones', () => {
    for (let count = 0; count <= 70; count++) {
      const leaves = leavesOf(count)
      const range = rangeOver(leaves)
      expect(range.leaves).to.equal(count)
      expect(range.peaks).to.have.length(count.toString(2).replaceAll('0', '').length)
      expect(rangeRoot(range)).to.equal(merkleRoot(leaves))
    }
  })

  it('grows without changing what it was', () => {
    const before = rangeOver(leavesOf(7))
    const peaks = [...before.peaks]
    grow(before, leafHash('more'))
    expect(before.peaks).to.deep.equal(peaks)
  })

  it('is the same whether it grows in one go or from peaks that were kept', () => {
    fc.assert(
      fc.property(fc.nat({ max: 60 }), fc.nat({ max: 60 }), (first, second) => {
        const leaves = leavesOf(first + second)
        const kept = JSON.parse(JSON.stringify(rangeOver(leaves.slice(0, first)))) as MountainRange
        expect(leaves.slice(first).reduce(grow, kept)).to.deep.equal(rangeOver(leaves))
      }),
    )
  })

  it('gives the path of any leaf while the leaves go by', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 130 }), fc.nat(), (count, choice) => {
        const leaves = leavesOf(count)
        const place = choice % count
        const finder = new PathFinder()
        leaves.forEach((leaf, index) => {
          finder.add(leaf, index === place)
        })
        const path = finder.path()
        expect(path).to.deep.equal(merkleProofs(leaves)[place])
        expect(finder.path(), 'asking changes nothing').to.deep.equal(path)
        expect(rootFromProof(leafHash(`${place}`), place, count, path)).to.equal(merkleRoot(leaves))
      }),
    )
  })
})
