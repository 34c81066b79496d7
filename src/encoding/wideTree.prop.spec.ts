import { expect } from 'chai'
import * as fc from 'fast-check'
import { leafHash } from './merkle.js'
import { proofOfMany, topFromProof, treeTop } from './wideTree.js'

const treesWithPlaces = fc
  .uniqueArray(fc.string(), { minLength: 1, maxLength: 600, size: 'max' })
  .chain((texts) =>
    fc.tuple(fc.constant(texts.map(leafHash)), fc.uniqueArray(fc.nat({ max: texts.length - 1 }), { maxLength: 20 })),
  )

const shownOf = (leaves: readonly ReturnType<typeof leafHash>[], places: readonly number[]) =>
  new Map(places.map((place) => [place, leaves[place]!]))

describe('a wide tree', () => {
  it('gives any leaves a common proof that leads to its top', () => {
    fc.assert(
      fc.property(treesWithPlaces, ([leaves, places]) => {
        const proof = proofOfMany(leaves, places)
        expect(topFromProof(shownOf(leaves, places), leaves.length, proof)).to.equal(treeTop(leaves))
        for (const place of places) expect(proof).to.not.include(leaves[place])
      }),
      { numRuns: 50 },
    )
  })

  it('leads elsewhere or nowhere from another leaf, another place, and a proof that was altered, cut or stretched', () => {
    fc.assert(
      fc.property(treesWithPlaces, fc.nat(), ([leaves, places], choice) => {
        const top = treeTop(leaves)
        const proof = proofOfMany(leaves, places)
        const other = leafHash('another \u0000')
        const shown = shownOf(leaves, places)
        expect(topFromProof(shown, leaves.length, [...proof, other])).to.equal(undefined)
        if (proof.length > 0) {
          expect(topFromProof(shown, leaves.length, proof.slice(1))).to.not.equal(top)
          expect(topFromProof(shown, leaves.length, proof.with(choice % proof.length, other))).to.not.equal(top)
        }
        const place = places[choice % Math.max(places.length, 1)]
        if (place === undefined) return
        expect(topFromProof(new Map([...shown, [place, other]]), leaves.length, proof)).to.not.equal(top)
        expect(topFromProof(new Map([...shown, [leaves.length, other]]), leaves.length, proof)).to.equal(undefined)
      }),
      { numRuns: 50 },
    )
  })

  it('has another top for other leaves, another order, or one leaf more or less', () => {
    fc.assert(
      fc.property(treesWithPlaces, fc.nat(), ([leaves], choice) => {
        const top = treeTop(leaves)
        const place = choice % leaves.length
        expect(treeTop([...leaves, leafHash('one more \u0000')])).to.not.equal(top)
        expect(treeTop(leaves.toSpliced(place, 1))).to.not.equal(top)
        expect(treeTop(leaves.with(place, leafHash('another \u0000')))).to.not.equal(top)
        if (leaves.length > 1) expect(treeTop(leaves.toReversed())).to.not.equal(top)
      }),
      { numRuns: 50 },
    )
  })
})
