/** What the swap promises whatever log its parties have: half a year of it comes to its end, and every log is sound. */
import { expect } from 'chai'
import { digestViews } from '../../src/storage/digest.js'
import { foldLog, verifyLog } from 'carillon/logs'
import { runToMaturity } from '../../samples/interest-rate-swap/run/virtualRun.js'

describe('Half a year of the swap', () => {
  it('comes to its end, and leaves every party a log that is sound and gives its views', async () => {
    const { network, isMatured } = await runToMaturity({ until: '2016-09-12' })
    expect(isMatured).to.equal(true)
    for (const name of network.names) {
      const node = network.node(name)
      expect((await verifyLog(node.readLog())).problems, name).to.deep.equal([])
      const folded = await foldLog(node.readLog())
      expect(digestViews(folded), name).to.equal(await node.viewsDigest())
      folded.close()
    }
  })
})
