/** What an operator does to all flows that match a query. */
import { expect } from 'chai'
import * as t from 'io-ts'
import { defineApp, defineFlow, type FlowBody } from '../../src/index.js'
import { VirtualNode } from '../../src/testing/index.js'

const undone: string[] = []

const flowNamed = (name: string) =>
  defineFlow({
    name,
    input: t.strict({ number: t.number }),
    *run(io, { number }): FlowBody<void> {
      try {
        yield* io.sleep({ days: 1 })
      } finally {
        yield* io.step('undo', () => void undone.push(`${name} ${number}`))
        yield* io.sleep({ minutes: 1 })
      }
    },
  })

const Order = flowNamed('bulk/Order')
const Other = flowNamed('bulk/Other')
const app = defineApp({ name: 'bulk', states: [], flows: [Order, Other] })

describe('An action on all flows that match', () => {
  let virtual: VirtualNode
  const statuses = async (name: string): Promise<readonly string[]> => [
    ...new Set((await virtual.node.flows({ name, limit: 1_000 })).items.map(({ status }) => status)),
  ]

  beforeEach(async () => {
    undone.length = 0
    virtual = await VirtualNode.start({ app })
    for (let number = 0; number < 450; number++) await virtual.node.start(Order, { number })
    await virtual.node.start(Other, { number: 0 })
  })
  afterEach(() => virtual.stop())

  it('is done to each of them and to no other, and each can undo what it has done', async () => {
    expect(await virtual.node.operateFlows('cancel', { name: 'bulk/Order' }, { by: 'Ada' })).to.deep.equal({
      done: 450,
      refused: 0,
      refusals: [],
    })
    await virtual.runUntilQuiet()
    expect(undone).to.have.length(450)
    // Those that are being cancelled are left to come to their end, not killed.
    expect(await virtual.node.operateFlows('cancel', { name: 'bulk/Order' })).to.include({ done: 0, refused: 0 })
    expect(await statuses('bulk/Order')).to.deep.equal(['running'])
    await virtual.advanceBy({ minutes: 2 })
    expect(await statuses('bulk/Order')).to.deep.equal(['killed'])
    expect(await statuses('bulk/Other')).to.deep.equal(['running'])
  })

  it('is for the flows that the action is for, unless a status is named', async () => {
    const { node } = virtual
    expect(await node.operateFlows('resume')).to.include({ done: 0, refused: 0 })
    expect(await node.operateFlows('pause', { name: 'bulk/Order' })).to.include({ done: 450 })
    expect(await node.operateFlows('resume')).to.include({ done: 450 })
    const refused = await node.operateFlows('retry', { status: 'running' })
    expect(refused).to.include({ done: 0, refused: 451 })
    expect(refused.refusals).to.have.length(100)
    expect(refused.refusals[0]?.error.code).to.equal('flow-not-parked')
    expect(await node.operateFlows('kill')).to.include({ done: 451 })
    expect(await statuses('bulk/Other')).to.deep.equal(['killed'])
  })
})
