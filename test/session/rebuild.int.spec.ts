/** The rebuild law for nodes among others: each node's log alone gives its views, and proves itself. */
import { expect } from 'chai'
import { instant } from 'carillon'
import { digestViews } from '../../src/storage/digest.js'
import { foldLog, verifyLog } from 'carillon/logs'
import { VirtualNetwork } from 'carillon/testing'
import { app, Lend } from './iou.js'

describe('The log of a node among others', () => {
  it('gives the views of each party and of the notary, and verifies', async () => {
    const network = await VirtualNetwork.start({
      parties: { Alice: { app }, Bob: { app }, Notary: { app, notary: 'validating' } },
      seed: 'rebuild',
    })
    const terms = { borrower: network.party('Bob'), amount: 10, dueAt: instant('2026-03-01T00:00:00Z') }
    await network.node('Alice').start(Lend, terms)
    await network.advanceTo(instant('2026-03-02T00:00:00Z'))
    const seen = new Set<string>()
    for (const name of ['Alice', 'Bob', 'Notary']) {
      const node = network.node(name)
      const folded = await foldLog(node.readLog())
      expect(digestViews(folded), name).to.equal(await node.viewsDigest())
      folded.close()
      expect((await verifyLog(node.readLog())).problems, name).to.deep.equal([])
      for await (const tick of node.readLog())
        for (const line of tick.events) seen.add((JSON.parse(line) as { readonly type: string }).type)
    }
    expect([...seen]).to.include.members([
      'TransactionNotarised',
      'SessionOpened',
      'MessageSent',
      'MessageReceived',
      'MessageAcknowledged',
      'CheckpointReceived',
    ])
  })
})
