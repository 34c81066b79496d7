/** What finality promises: all participants hold the same transaction, signed by all and notarised once. */
import { expect } from 'chai'
import { CarillonError, instant } from 'carillon'
import { VirtualNetwork } from 'carillon/testing'
import { app, Iou, Lend } from './iou.js'

const dueAt = instant('2026-03-01T00:00:00Z')

const start = (seed: string, notary: 'validating' | 'nonValidating' = 'validating') =>
  VirtualNetwork.start({ parties: { Alice: { app }, Bob: { app }, Notary: { app, notary } }, seed })

describe('A transaction of two parties and a notary', () => {
  for (const kind of ['validating', 'nonValidating'] as const) {
    it(`is recorded by both, and its activity runs on one of them, with a ${kind} notary`, async () => {
      const network = await start(kind, kind)
      const handle = await network.node('Alice').start(Lend, { borrower: network.party('Bob'), amount: 10, dueAt })
      await network.advanceBy({ minutes: 1 })
      const ref = await handle.result()
      for (const name of ['Alice', 'Bob']) {
        expect((await network.node(name).states(Iou)).map((state) => state.ref)).to.deep.equal([ref])
      }
      await network.advanceTo(instant('2026-03-01T00:01:00Z'))
      const [alices] = await network.node('Alice').states(Iou)
      const [bobs] = await network.node('Bob').states(Iou)
      expect(alices?.data.called).to.equal(true)
      expect(bobs).to.deep.equal(alices)
      expect(await network.node('Bob').occurrences(ref)).to.deep.equal([])
      expect((await network.node('Alice').occurrences(ref)).map(({ outcome }) => outcome)).to.deep.equal(['completed'])
    })
  }

  it('is not recorded by anyone when a signer refuses, and the refusal says why', async () => {
    const network = await start('refusal')
    const { id } = await network.node('Alice').start(Lend, { borrower: network.party('Bob'), amount: 2_000, dueAt })
    await network.advanceBy({ minutes: 1 })
    const failure: unknown = await network
      .node('Alice')
      .resultOf(id)
      .catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(CarillonError).with.property('code', 'signature-refused')
    expect((failure as CarillonError).message).to.contain('more than I want to owe')
    for (const name of ['Alice', 'Bob']) expect(await network.node(name).states(Iou)).to.deep.equal([])
  })

  it('is taken over by the second party when the first is down', async () => {
    const network = await start('takeover')
    const handle = await network.node('Alice').start(Lend, { borrower: network.party('Bob'), amount: 10, dueAt })
    await network.advanceBy({ minutes: 1 })
    const ref = await handle.result()
    await network.crash('Alice')
    await network.advanceTo(instant('2026-03-01T00:10:00Z'))
    expect((await network.node('Bob').occurrences(ref)).map(({ outcome }) => outcome)).to.deep.equal(['running'])
    await network.restart('Alice')
    await network.advanceBy({ minutes: 10 })
    for (const name of ['Alice', 'Bob']) {
      const states = await network.node(name).states(Iou)
      expect(
        states.map(({ data }) => data.called),
        name,
      ).to.deep.equal([true])
    }
  })
})
