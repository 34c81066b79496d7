import { expect } from 'chai'
import * as fc from 'fast-check'
import { sha256, type Hash } from './hash.js'
import { leafHash, merkleProofs, merkleRoot, rootFromProof } from './merkle.js'

/** The plain version: the proof of one leaf, by the definition of the tree. */
const merkleProof = (leaves: readonly Hash[], index: number): readonly Hash[] => {
  if (leaves.length < 2) return []
  const middle = 2 ** (Math.ceil(Math.log2(leaves.length)) - 1)
  const [left, right] = [leaves.slice(0, middle), leaves.slice(middle)]
  return index < middle
    ? [...merkleProof(left, index), merkleRoot(right)]
    : [...merkleProof(right, index - middle), merkleRoot(left)]
}

const treesWithPlace = fc
  .uniqueArray(fc.string(), { minLength: 1, maxLength: 70 })
  .chain((texts) => fc.tuple(fc.constant(texts.map(leafHash)), fc.nat({ max: texts.length - 1 })))

describe('a Merkle tree', () => {
  it('gives all proofs at once as it gives them one by one', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 40 }), (texts) => {
        const leaves = texts.map(leafHash)
        expect(merkleProofs(leaves)).to.deep.equal(leaves.map((_, index) => merkleProof(leaves, index)))
      }),
    )
  })

  it('gives each leaf a proof that leads to the root', () => {
    fc.assert(
      fc.property(treesWithPlace, ([leaves, index]) => {
        const proof = merkleProof(leaves, index)
        expect(rootFromProof(leaves[index]!, index, leaves.length, proof)).to.equal(merkleRoot(leaves))
        expect(proof.length).to.be.at.most(Math.ceil(Math.log2(leaves.length)))
      }),
    )
  })

  it('leads nowhere from another leaf, another sibling, a longer or a shorter path', () => {
    fc.assert(
      fc.property(treesWithPlace, fc.nat(), ([leaves, index], choice) => {
        const root = merkleRoot(leaves)
        const proof = merkleProof(leaves, index)
        const leaf = leaves[index]!
        const other = leafHash(`not ${leaf}`)
        expect(rootFromProof(other, index, leaves.length, proof)).to.not.equal(root)
        expect(rootFromProof(leaf, index, leaves.length, [...proof, other])).to.equal(undefined)
        if (proof.length === 0) return
        const place = choice % proof.length
        const altered = proof.map((sibling, height) => (height === place ? other : sibling))
        expect(rootFromProof(leaf, index, leaves.length, altered)).to.not.equal(root)
        expect(rootFromProof(leaf, index, leaves.length, proof.slice(1))).to.equal(undefined)
      }),
    )
  })

  it('leads nowhere from another place in a tree of the same size', () => {
    fc.assert(
      fc.property(treesWithPlace, fc.nat(), ([leaves, index], choice) => {
        const elsewhere = choice % leaves.length
        fc.pre(elsewhere !== index)
        const proof = merkleProof(leaves, index)
        expect(rootFromProof(leaves[index]!, elsewhere, leaves.length, proof)).to.not.equal(merkleRoot(leaves))
      }),
    )
  })

  it('has another root for other leaves, another order, or one leaf more or less', () => {
    fc.assert(
      fc.property(treesWithPlace, fc.nat(), ([leaves, index], choice) => {
        const root = merkleRoot(leaves)
        const added = leafHash('one more \u0000')
        expect(merkleRoot([...leaves, added])).to.not.equal(root)
        expect(merkleRoot(leaves.filter((_, place) => place !== index))).to.not.equal(root)
        expect(merkleRoot(leaves.map((leaf, place) => (place === index ? added : leaf)))).to.not.equal(root)
        const elsewhere = choice % leaves.length
        if (elsewhere === index) return
        const swapped = [...leaves]
        swapped[index] = leaves[elsewhere]!
        swapped[elsewhere] = leaves[index]!
        expect(merkleRoot(swapped)).to.not.equal(root)
      }),
    )
  })

  it('never takes a leaf for a node, nor nothing for something', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        const [left, right] = [leafHash(one), leafHash(other)]
        const root = merkleRoot([left, right])
        expect(leafHash(`${left}${right}`)).to.not.equal(root)
        expect(leafHash(`node\n${left}${right}`)).to.not.equal(root)
        expect(sha256(`${left}${right}`)).to.not.equal(root)
        expect(merkleRoot([leafHash(one)])).to.equal(leafHash(one))
        expect(merkleRoot([])).to.not.equal(leafHash(one))
      }),
    )
    expect(merkleRoot([])).to.not.equal(leafHash(''))
  })

  it('refuses places and sizes that no tree has, at once', () => {
    const leaf = leafHash('x')
    const proof: readonly Hash[] = [leaf]
    for (const [index, count] of [
      [-1, 2],
      [2, 2],
      [0.5, 2],
      [0, Number.NaN],
      [0, Number.POSITIVE_INFINITY],
      [0, 0],
      [2 ** 52, 2 ** 53],
      [Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER],
      [2 ** 32, 2 ** 32 + 2],
    ] as const)
      expect(rootFromProof(leaf, index, count, proof), `${index} of ${count}`).to.equal(undefined)
  })
})
