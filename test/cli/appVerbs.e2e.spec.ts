import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { carillon, documents, RunningNode, scratchFolder } from './spawnCarillon.js'

const app = join(resolve(import.meta.dirname, '../..'), 'samples/chores/node.ts')

describe('verbs of an app on the command line', function () {
  const { folder, remove } = scratchFolder()
  after(remove)
  const store = join(folder, 'store')
  const chores = (...args: readonly string[]) => carillon(['chores', ...args, '--store', store])

  it('are asked of the node that runs the app, and of nobody else', async () => {
    const before = await chores('list')
    expect(before).to.include({ code: 2, stdout: '' })
    expect(before.stderr).to.contain("unknown command 'chores'").and.to.contain('carillon run <app-module>')

    const node = await RunningNode.start(store, ['--no-http'], app)
    const [help, started, refused] = await Promise.all([
      chores('--help'),
      chores('start', 'archive-proposals'),
      chores('start', 'no-such-chore'),
    ])
    expect(help.code).to.equal(0)
    expect(help.stdout).to.contain('Look after recurring work.').and.to.contain('stop-all')
    expect(started).to.include({ code: 0, stdout: 'archive-proposals: start is done.\n' })
    expect(refused).to.include({
      code: 1,
      stderr: 'error[chores/refused]: There is no chore no-such-chore.\n',
    })
    const listed = documents((await chores('list', '--json')).stdout)
    expect(listed.map(({ choreId, lifecycle }) => [choreId, lifecycle])).to.deep.equal([
      ['refresh-voting-power', 'Stopped'],
      ['archive-proposals', 'Running'],
      ['confirm-following', 'Stopped'],
    ])
    expect((await node.signal('SIGTERM')).code).to.equal(0)
  })
})
