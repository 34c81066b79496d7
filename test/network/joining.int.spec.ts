/** What a party that joins a running network meets: nodes that know it from their next start, and not before. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { addParty, instant, makeNetwork, startNode, type Node } from 'carillon'
import { app, Iou, Lend } from '../session/iou.js'
import { eventually } from './LoopbackNetwork.js'

describe('A party that joins a network whose nodes run', () => {
  const running = new Set<Node>()
  let scratch: string
  const start = async (folder: string): Promise<Node> => {
    const node = await startNode({ app, networkFolder: folder })
    running.add(node)
    return node
  }
  const stop = async (node: Node): Promise<void> => {
    running.delete(node)
    await node.stop()
  }
  before(() => {
    scratch = mkdtempSync(join(tmpdir(), 'carillon-joining-'))
  })
  after(async () => {
    await Promise.all([...running].map(stop))
    rmSync(scratch, { recursive: true, force: true })
  })

  it('waits for those who do not know it yet, and deals with them once they have started again', async () => {
    const { folder } = await makeNetwork(join(scratch, 'local'), {
      members: [{ name: 'Bob' }, { name: 'Notary', notary: 'validating' }],
    })
    const [bob, notary] = await Promise.all([start(join(folder, 'Bob')), start(join(folder, 'Notary'))])
    const carol = await start((await addParty(folder, { name: 'Carol' })).folder)
    const lent = await carol.start(Lend, { borrower: bob.party, amount: 7, dueAt: instant('2099-01-01T00:00:00Z') })
    expect(bob.network.party('Carol')).to.equal(undefined)
    await Promise.all([stop(bob), stop(notary)])
    const [again] = await Promise.all([start(join(folder, 'Bob')), start(join(folder, 'Notary'))])
    expect(again.network.party('Carol')).to.deep.equal(carol.party)
    await lent.result()
    let held: readonly number[] = []
    await eventually(() => {
      void again.states(Iou).then((states) => (held = states.map(({ data }) => data.amount)))
      return held.length === 1
    }, 'Bob holds the debt')
    expect(held).to.deep.equal([7])
  })
})
