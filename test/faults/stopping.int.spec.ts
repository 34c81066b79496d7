/** A node that is stopped says so in its log, however often it is told, and to whoever asks it later. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startNode, type Node } from '../../src/index.js'
import { appOf, refusal } from '../flow/ledgerOfNotes.js'

describe('Stopping a node', () => {
  let folder = ''
  let node: Node
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-stopping-'))
    node = await startNode({ app: appOf([]), store: folder })
  })
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  it('is recorded once when it is asked for twice', async () => {
    await Promise.all([node.stop(), node.stop()])
    await node.stop()
    const again = await startNode({ app: appOf([]), store: folder })
    let stops = 0
    for await (const { events } of again.readLog())
      stops += events.filter((line) => line.includes('NodeStopped')).length
    await again.stop()
    expect(stops).to.equal(1)
  })

  it('is the answer to whoever asks the node for something afterwards', async () => {
    await node.stop()
    await refusal(node.agenda(), 'node-stopped')
    await refusal(node.viewsDigest(), 'node-stopped')
    await refusal(node.readLog()[Symbol.asyncIterator]().next(), 'node-stopped')
  })
})
