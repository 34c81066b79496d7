import { expect } from 'chai'
import type { Block } from 'carillon/http'
import { thresholdKey } from '../model/KeyTree.js'
import { signaturesPanel } from '../panel.js'
import { key, Scene } from './Scene.js'

type TableBlock = Extract<Block, { readonly kind: 'table' }>

describe('the panel of the scheduled transactions', () => {
  const rowsOf = async (scene: Scene, title: string): Promise<TableBlock['rows']> => {
    const names = new Map(['alice', 'bob', 'board'].map((name) => [scene.id(name), name]))
    const blocks = await signaturesPanel(() => names).read(scene.virtual.node)
    return blocks.flatMap((block) => (block.kind === 'table' && block.title === title ? block.rows : []))
  }
  const begin = async (): Promise<Scene> => {
    const scene = await Scene.open()
    await scene.people('alice', 'bob')
    await scene.person('board', { key: thresholdKey(2, key('x'), key('y'), key('z')), keys: ['x', 'y'] })
    return scene
  }

  it('shows who has signed, what is missing, and of a key of many how much of it', async () => {
    const scene = await begin()
    const body = scene.transfers({ alice: -10, board: -5, bob: 15 })
    const id = await scene.created(body, { as: 'alice', signs: ['alice'] })
    const pending = 'Pending, oldest first'
    expect((await rowsOf(scene, pending))[0]?.cells).to.deep.include({
      schedule: id,
      what: 'alice −10, board −5, bob +15',
      signed: { share: 0.5, text: '1 of 2' },
      by: 'alice',
      missing: 'board (0 of its 3 keys)',
    })
    await scene.sign(id, ['z'])
    expect((await rowsOf(scene, pending))[0]?.cells).to.include({ missing: 'board (1 of its 3 keys)' })

    await scene.sign(id, ['x'])
    expect(await rowsOf(scene, pending)).to.deep.equal([])
    const [ended] = await rowsOf(scene, 'Ended, newest first')
    expect(ended?.cells).to.deep.include({
      schedule: id,
      ended: { lamp: 'green', text: 'executed' },
      result: 'SUCCESS',
      signers: 3,
    })
  })

  it('asks again whose signature is needed when a key has changed, and tells what has expired', async () => {
    const scene = await begin()
    await scene.created(scene.transfer('alice', 'bob', 10), { as: 'alice', signs: ['alice'] }).catch(() => undefined)
    const id = await scene.created(scene.transfer('bob', 'alice', 10), { as: 'alice', signs: ['alice'] })
    await scene.rekey('alice', key('new'), ['alice'], ['new'])
    const [row] = await rowsOf(scene, 'Pending, oldest first')
    expect(row?.cells).to.include({ schedule: id, missing: 'alice, bob' })
    await scene.pass(2_000)
    expect((await rowsOf(scene, 'Ended, newest first'))[0]?.cells['ended']).to.deep.equal({
      lamp: 'amber',
      text: 'expired',
    })
  })
})
