import { expect } from 'chai'
import { startNode } from 'carillon'
import { createChoresApp } from './app.js'
import { archiveProposalsId } from './chores.js'
import { choresPanel } from './panel.js'
import { refusalOf } from './test/refusalOf.js'

describe('the panel of the chores', () => {
  it('has a lamp for each chore, offers what fits its condition, and records who acts', async () => {
    const chores = createChoresApp()
    const node = await startNode({ app: chores.app })
    await chores.connect(node)
    const panel = choresPanel(chores.engine)
    const lampOfArchive = async () => {
      const [block] = await panel.read(node)
      if (block?.kind !== 'lamps') throw new Error('no lamps')
      return block.lamps.find(({ key }) => key === archiveProposalsId)
    }
    expect(await lampOfArchive()).to.deep.include({ tone: 'grey', actions: ['start', 'trigger'] })

    const start = panel.actions.find(({ name }) => name === 'start')
    await start?.run({ node, row: archiveProposalsId, input: {}, by: 'http:ann@127.0.0.1' })
    expect((await lampOfArchive())?.actions).to.deep.equal(['trigger', 'pause', 'interval', 'stop'])
    const started = await chores.engine.getRunLog(archiveProposalsId)
    expect(JSON.stringify(started)).to.contain('http:ann@127.0.0.1')

    const interval = panel.actions.find(({ name }) => name === 'interval')
    for (const seconds of ['x', 1.5, 0, null, 1e20]) {
      const set = interval?.run({ node, row: archiveProposalsId, input: { seconds }, by: 'http:ann@127.0.0.1' })
      expect(await refusalOf(() => set ?? Promise.resolve())).to.match(/^ChoreRefused: An interval is a whole number/)
    }
    await node.stop()
  })
})
