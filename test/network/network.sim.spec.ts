/** What a network of parties promises, whatever happens to its nodes and between them. */
import { expect } from 'chai'
import { assertSimulates } from 'carillon/testing'
import { marketSimulation } from './marketSimulation.js'

const seeds = 24
const atATime = 8

describe('Five parties and a notary, whatever befalls them', () => {
  let transactions = 0
  for (let from = 0; from < seeds; from += atATime) {
    it(`agree in the end, spend nothing twice and leave nothing stuck: seeds ${from} to ${from + atATime - 1}`, async () => {
      const report = await assertSimulates({
        ...marketSimulation,
        seeds: Array.from({ length: atATime }, (_, index) => from + index),
      })
      transactions += report.transactions
    }).timeout(240_000)
  }

  it('got something done in all that', () => {
    expect(transactions).to.be.greaterThan(seeds * 4)
  })
})
