/** The testing kit asks nothing of a test runner: it works in Node's own, and in a script without any. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { programStart } from '../../samples/shared/test/builtPackage.js'

const repository = resolve(import.meta.dirname, '../..')
const iou = join(repository, 'test/session/iou.ts')
const recorded = join(repository, 'test/replay/0.1.0/iou')

const common = `
import { VirtualNetwork, carillonChai, assertReplays, assertSimulates, describeReplay, ledger } from 'carillon/testing'
import { plus } from 'carillon'
import { use, expect } from 'chai'
import { app, Iou, Lend } from '${iou}'
use(carillonChai)
const lend = async () => {
  const network = await VirtualNetwork.start({ parties: { Ann: { app }, Ben: { app }, Notary: { app, notary: 'validating' } } })
  const dueAt = plus(network.now, { years: 10 })
  await network.node('Ann').start(Lend, { borrower: network.party('Ben'), amount: 5, dueAt })
  await network.runUntilQuiet()
  await network.advanceTo(dueAt)
  return network.inspect('Ben').states(Iou).map(({ data }) => data.called)
}
`

const script = `${common}
if ('describe' in globalThis) throw new Error('There is a runner.')
expect(await lend()).to.deep.equal([true])
await assertSimulates({ app, seeds: 1, actions: 4 })
console.log('all is well')
`

const nodesOwn = `${common}
import { describe, it } from 'node:test'
describe('an IOU', () => {
  it('is called in when it is due', async () => {
    expect(await lend()).to.deep.equal([true])
  })
})
describeReplay('IOUs', { folder: '${recorded}', app }, { describe, it })
`

describe('The testing kit', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-runners-'))
  after(() => rmSync(folder, { recursive: true, force: true }))

  before(() => {
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(repository, join(folder, 'node_modules/carillon'), 'junction')
    symlinkSync(join(repository, 'node_modules/chai'), join(folder, 'node_modules/chai'), 'junction')
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
    writeFileSync(join(folder, 'script.ts'), script)
    writeFileSync(join(folder, 'iou.test.ts'), nodesOwn)
  })

  const node = (...args: readonly string[]) =>
    promisify(execFile)(process.execPath, [...programStart, ...args], {
      cwd: repository,
    })

  it('works in a script without a test runner', async () => {
    expect((await node(join(folder, 'script.ts'))).stdout).to.equal('all is well\n')
  })

  it("works in Node's own test runner, replays of recorded logs included", async () => {
    const { stdout } = await node('--test', '--test-reporter', 'tap', join(folder, 'iou.test.ts'))
    expect(stdout)
      .to.match(/is called in when it is due/)
      .and.to.match(/iou-ann is replayed without a difference/)
      .and.to.match(/# fail 0/)
  })
})
