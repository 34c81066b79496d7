/** In which order a walk back through history goes, and what it costs where history is wide. */
import { expect } from 'chai'
import fc from 'fast-check'
import { sha256 } from '../encoding/hash.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import type { FlowId } from '../log/FlowId.js'
import { walk, type Walked } from './operations/walk.js'

const idAt = (place: number): TransactionId => sha256(`transaction ${place}`)

/** Transactions by their place in the log, and what each builds on. */
const walkBack = (parents: ReadonlyMap<number, readonly number[]>, from: readonly number[], limit: number): Walked => {
  const places = new Map([...parents.keys()].map((place) => [idAt(place), place]))
  const placeOf = (id: TransactionId): number => places.get(id) ?? -1
  const reads = {
    views: {
      transactions: { find: (id: TransactionId) => ({ revision: placeOf(id) }), locate: placeOf },
    },
    signedTransaction: (id: TransactionId) => ({
      body: {
        inputs: (parents.get(placeOf(id)) ?? []).map((place) => ({ transaction: idAt(place), index: 0 })),
        references: [],
      },
    }),
  } as unknown as Parameters<typeof walk.decide>[0]
  const answer = walk.decide(reads, { kind: 'walk', frontier: from.map(idAt), limit }, '' as FlowId)
  if (answer.kind !== 'value') throw new Error(answer.kind)
  return answer.value as Walked
}

describe('A walk back through history', () => {
  it('comes to the newest first, to each once, and stops where it is to', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.nat(), { maxLength: 4 }), { minLength: 1, maxLength: 40 }),
        fc.nat({ max: 45 }),
        (drawn, limit) => {
          const parents = new Map(
            drawn.map((each, place) => [place, place === 0 ? [] : [...new Set(each.map((one) => one % place))]]),
          )
          const newest = drawn.length - 1
          const reached = new Set([newest])
          for (let place = newest; place >= 0; place--)
            if (reached.has(place)) for (const parent of parents.get(place) ?? []) reached.add(parent)
          const inOrder = [...reached].sort((a, b) => b - a)
          const { visited, frontier } = walkBack(parents, [newest], limit)
          expect(visited).to.deep.equal(inOrder.slice(0, limit).map(idAt))
          const met = new Set([newest, ...inOrder.slice(0, limit).flatMap((place) => parents.get(place) ?? [])])
          const open = inOrder.slice(limit).filter((place) => met.has(place))
          expect(new Set(frontier)).to.deep.equal(new Set(open.map(idAt)))
        },
      ),
    )
  })

  it('costs no more for each that it comes to where it has yet to come to very many', () => {
    const places = Array.from({ length: 40_000 }, (_, place) => place)
    const parents = new Map(places.map((place) => [place, []]))
    const took = (limit: number): number => {
      const beganMs = performance.now()
      expect(walkBack(parents, places, limit).visited).to.have.lengthOf(limit)
      return performance.now() - beganMs
    }
    took(10)
    const [few, many] = [took(10), took(2_500)]
    expect(many, `${few} ms for 10`).to.be.lessThan(4 * few + 100)
  })
})
