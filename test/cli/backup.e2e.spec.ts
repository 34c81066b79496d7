import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { carillon, documents, fixtureApp, RunningNode, scratchFolder } from './spawnCarillon.js'

describe('the command that backs a store up', function () {
  const { folder, remove } = scratchFolder()
  const [store, made, restored, late] = ['data', 'made', 'restored', 'late'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ]
  const kept = join(folder, 'head.json')

  before(async () => {
    const node = await RunningNode.start(store)
    await carillon(['start', 'notes/Add', '{"text":"a","inSeconds":3600,"copies":1}', '--store', store])
    const backup = await carillon(['backup', 'make', made, '--store', store])
    expect(backup.stdout).to.match(/^\d+ events backed up to .*made, head [0-9a-f]{64}\.\n$/)
    expect(backup.stderr).to.contain('node.secret')
    await carillon(['start', 'notes/Add', '{"text":"b","inSeconds":3600,"copies":1}', '--store', store])
    await node.signal('SIGINT')
    writeFileSync(kept, (await carillon(['log', 'head', '--store', store])).stdout)
  })
  after(remove)

  it('restores a store that can be read, and on which no node runs', async () => {
    const { stdout, stderr } = await carillon(['backup', 'restore', made, '--store', restored])
    expect(stdout).to.match(/^\d+ events restored to /)
    expect(stderr).to.contain('carillon backup compare').and.to.contain(`carillon backup go-on --store ${restored}`)
    cpSync(join(store, 'node.secret'), join(restored, 'node.secret'))
    const [run, status, agenda, drain] = await Promise.all([
      carillon(['run', fixtureApp, '--store', restored]),
      carillon(['status', '--store', restored]),
      carillon(['agenda', '--json', '--store', restored]),
      carillon(['drain', 'start', '--store', restored]),
    ])
    expect(run.stderr).to.match(/^error\[store-restored\]: /)
    expect(run.code).to.equal(1)
    expect(drain.stderr).to.match(/^error\[store-restored\]: /)
    expect(status.stdout).to.match(/read-only +the store was restored from a backup made at /)
    expect(documents(agenda.stdout)).to.have.length(1)
  })

  it('compares it with a checkpoint that someone keeps, and refuses it when that one has seen more', async () => {
    const old = await carillon(['backup', 'compare', kept, '--store', restored])
    expect(old.code).to.equal(1)
    expect(old.stderr).to.match(/^error\[store-outdated\]: .*Restore a newer backup/)
    await carillon(['backup', 'make', late, '--store', store])
    const unsigned = await carillon(['backup', 'compare', kept, '--store', late])
    expect(unsigned.stderr, 'that it goes on is signed, and a backup does not hold what opens the key').to.match(
      /^error\[key-locked\]: /,
    )
    cpSync(join(store, 'node.secret'), join(late, 'node.secret'))
    const compared = await carillon(['backup', 'compare', kept, '--note', 'Bob kept it', '--store', late])
    expect(compared.stdout).to.equal('The store holds the checkpoint; a node may run on it.\n')
    const again = await carillon(['backup', 'compare', kept, '--store', late])
    expect(again.stderr).to.match(/^error\[request-invalid\]: .*Nothing needs to be done/)
    const shown = await carillon(['log', 'show', '--limit', '1', '--store', late])
    expect(shown.stdout).to.match(/RestoreAccepted +by cli:.*compared with 1 checkpoint: Bob kept it/)
  })

  it('lets a node run on it when told to', async () => {
    const told = await carillon(['backup', 'go-on', '--note', 'it burnt down', '--store', restored])
    expect(told.stdout).to.contain('A node may run on the store')
    const node = await RunningNode.start(restored)
    expect((await node.signal('SIGINT')).code).to.equal(0)
  })

  it('says what is wrong with folders and files', async () => {
    const [full, none, garbage, nothing] = await Promise.all([
      carillon(['backup', 'make', made, '--store', store]),
      carillon(['backup', 'restore', join(folder, 'nowhere'), '--store', join(folder, 'new')]),
      carillon(['backup', 'compare', join(made, 'node.key'), '--store', made]),
      carillon(['backup', 'compare', join(folder, 'none.json'), '--store', made]),
    ])
    expect(full.stderr).to.match(/^error\[folder-not-empty\]: /)
    expect(none.stderr).to.match(/^error\[store-not-found\]: /)
    expect(garbage.stderr).to.match(/^error\[head-invalid\]: /)
    expect(nothing.stderr).to.match(/^error\[[a-z-]+\]: .*none\.json/)
    for (const { code } of [full, none, garbage, nothing]) expect(code).to.be.oneOf([1, 2])
  })
})
