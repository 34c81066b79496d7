/** What a network of parties promises, whatever happens to its nodes and between them. */
import { expect } from 'chai'
import { runSeed } from './runSeed.js'

const seeds = 100
const atATime = 20

describe('Five parties and a notary, in bad weather, cut off and killed at random', () => {
  let transactions = 0
  let superseded = 0
  for (let from = 0; from < seeds; from += atATime) {
    it(`agree in the end, spend nothing twice and leave nothing stuck: seeds ${from} to ${from + atATime - 1}`, async () => {
      for (let seed = from; seed < from + atATime; seed++) {
        const verdict = await runSeed(seed)
        transactions += verdict.transactions
        superseded += verdict.superseded
        expect(
          verdict.problems,
          `Seed ${seed}; repeat it with: npm run test:network -- --seeds 1 --from ${seed}`,
        ).to.deep.equal([])
      }
    }).timeout(240_000)
  }

  it('got something done in all that, and lost some races', () => {
    expect(transactions).to.be.greaterThan(seeds * 4)
    expect(superseded).to.be.greaterThan(seeds / 10)
  })
})
