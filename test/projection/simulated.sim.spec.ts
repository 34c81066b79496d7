/** Projections in simulated histories and in replays: what a node has kept is what its log gives. */
import { expect } from 'chai'
import { replay, simulate, VirtualNode } from 'carillon/testing'
import { defineProjection } from 'carillon/projections'
import { PlaceOrder, shop, totals } from '../subscription/orders.js'

const parties = ['Ann', 'Ben']

describe('A projection in a simulated network', () => {
  it('is what its log gives, through crashes, outages and small limits', async () => {
    const report = await simulate({ app: shop(totals({ store: 'memory' })), parties, seeds: 8 })
    expect(report.failures).to.deep.equal([])
  })

  it('that depends on more than its events is found', async () => {
    let calls = 0
    const Forgetful = defineProjection({
      name: 'shop/Forgetful',
      init: () => 0,
      evolve: () => (calls += 1),
      store: 'memory',
    })
    const report = await simulate({ app: shop(Forgetful), parties, seeds: 1, shrinkTries: 0 })
    expect(JSON.stringify(report.failures)).to.contain('every projection is what its log gives')
  })
})

describe('A replay', () => {
  it('tells what a new version of a projection gives for a recorded log, and where it throws', async () => {
    const virtual = await VirtualNode.start({ app: shop(totals({ store: 'memory' })) })
    await virtual.node.run(PlaceOrder, { article: 'bell', pieces: 2 })
    await virtual.node.run(PlaceOrder, { article: 'bell', pieces: 3 })
    const Orders = defineProjection({
      name: 'shop/Totals',
      version: 2,
      types: ['TransactionRecorded'],
      init: () => 0,
      evolve: (count, { produced }) => count + produced.length,
    })
    const Broken = defineProjection({
      name: 'shop/Broken',
      types: ['FlowEnded'],
      init: () => 0,
      evolve: () => {
        throw new Error('not this one')
      },
    })
    const report = await replay(virtual.node, { app: shop(Orders, Broken) })
    expect(report.projections).to.deep.equal({ 'shop/Totals': 2 })
    expect(report.problems.map(({ kind, what }) => `${kind}: ${what}`)).to.deep.equal([
      'projection: Projection shop/Broken throws at this FlowEnded: not this one',
    ])
  })
})
