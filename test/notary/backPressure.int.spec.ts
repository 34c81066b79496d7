/** What a notary with too much to do owes its callers: an answer, an estimate, and their turn in the end. */
import { expect } from 'chai'
import { instant } from 'carillon'
import { VirtualNetwork } from 'carillon/testing'
import { Backlog } from '../../src/engine/Backlog.js'
import { rewordLabels } from '../flow/rewordLabels.js'
import { app, Iou, Lend } from '../session/iou.js'

/** Alice waits for a notary that is too busy; `serve` makes it answer. */
const busyNetwork = async (seed: string) => {
  let notaryWaitMs = 0
  const network = await VirtualNetwork.start({
    parties: {
      Alice: { app },
      Bob: { app },
      Notary: {
        app,
        notary: 'validating',
        get limits() {
          return { session: { notaryWaitMs } }
        },
      },
    },
    seed,
  })
  const terms = { borrower: network.party('Bob'), amount: 10, dueAt: instant('2026-01-01T01:00:00Z') }
  const handle = await network.node('Alice').start(Lend, terms)
  await network.advanceTo(instant('2026-01-01T01:00:30Z'))
  await handle.result()
  const open = async () => (await network.node('Alice').flows({ status: 'open' })).items
  const serve = async () => {
    notaryWaitMs = 1_000
    await network.stop('Notary')
    await network.restart('Notary')
    await network.advanceBy({ minutes: 2 })
    expect(await open()).to.deep.equal([])
    for (const name of ['Alice', 'Bob'])
      expect((await network.node(name).states(Iou)).map(({ data }) => data.called)).to.deep.equal([true])
  }
  return { network, open, serve }
}

describe('A notary with too much to do', () => {
  it('tells callers how long they would wait, and serves them when they come back', async () => {
    const { network, open, serve } = await busyNetwork('busy')
    // The call at the due instant consumes the state, and needs the notary.
    const [calling] = await open()
    expect(calling?.progress).to.match(/^Notary is busy; it is asked again in \d s$/)
    expect((await network.node('Notary').flows({ status: 'open' })).items).to.deep.equal([])
    await serve()
  })

  it('serves callers, too, that were restarted meanwhile by a release with other labels', async () => {
    const { network, open, serve } = await busyNetwork('reworded')
    const [calling] = await open()
    const restore = rewordLabels((kind) => `${kind}, in other words`)
    try {
      for (const name of ['Alice', 'Bob']) {
        await network.crash(name)
        await network.restart(name)
      }
      await serve()
      const record = (await network.node('Alice').flow(calling!.id))?.record ?? []
      expect(record[0]?.label).to.match(/^load /)
      expect(record.at(-1)?.label).to.match(/, in other words$/)
    } finally {
      restore()
    }
  })

  it('estimates by the pace of its last ticks', () => {
    const backlog = new Backlog()
    expect(backlog.waitMs(1_000)).to.equal(0)
    for (let tick = 0; tick < 50; tick++) backlog.took(100, 200)
    expect(backlog.waitMs(1_000)).to.be.within(1_990, 2_000)
    backlog.took(0, 5_000)
    for (let tick = 0; tick < 50; tick++) backlog.took(100, 20)
    expect(backlog.waitMs(1_000)).to.be.within(200, 201)
  })
})
