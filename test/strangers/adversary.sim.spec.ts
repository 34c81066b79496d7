/**
 * A hostile member in the simulator: whatever it does, the vaults of the others are as they must be. A few histories at every
 * commit; as many as one likes by `npm run carillon -- simulate test/strangers/bazaar.ts --seeds 200`, and swap.ts likewise.
 */
import { expect } from 'chai'
import { describeFailure, simulate } from 'carillon/testing'
import { bazaarSimulation } from './bazaar.js'
import { swapSimulation } from './swap.js'
import { marketSimulation } from '../network/marketSimulation.js'

describe('A network with a hostile member', () => {
  for (const [name, options] of Object.entries({
    bazaar: bazaarSimulation,
    swap: { ...swapSimulation, seeds: 3 },
    market: { ...marketSimulation, parties: ['Ann', 'Ben', 'Cas'], invariants: [], hostile: 1 },
  }))
    it(`keeps its invariants: ${name}`, async () => {
      const { failures } = await simulate({ seeds: 6, ...options, shrinkTries: 5 })
      expect(failures.flatMap((failure) => describeFailure(failure, 'again')).join('\n')).to.equal('')
    })

  it('lives through the same history whenever its seed is the same', async () => {
    const events = async (): Promise<number> => (await simulate({ ...bazaarSimulation, seeds: [3] })).events
    expect(await events()).to.equal(await events())
  })
})
