import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { carillon, documents, fixtureApp, RunningNode, scratchFolder } from './spawnCarillon.js'

describe('the command on a store without a node', function () {
  const { folder, remove } = scratchFolder()
  const store = join(folder, 'data')
  const on = (...args: readonly string[]) => carillon([...args, '--store', store])
  const json = async (...args: readonly string[]) => documents((await on(...args, '--json')).stdout)
  let ref: string
  let stuck: string

  before(async () => {
    const node = await RunningNode.start(store)
    const [[added], [parked]] = await Promise.all([
      json('start', 'notes/Add', '{"text":"later","inSeconds":3600,"copies":1}'),
      json('start', 'notes/Park', '--no-wait'),
    ])
    ref = `${String(added?.['result'])}:0`
    stuck = String(parked?.['flow'])
    await node.signal('SIGKILL')
  })
  after(remove)

  it('reads what a killed node left behind', async () => {
    expect(existsSync(join(store, 'control.sock'))).to.be.true
    const [status, agenda, why] = await Promise.all([json('status'), json('agenda'), on('why', ref)])
    expect(status[0]).to.include({ running: false })
    expect(agenda).to.have.length(1)
    expect(why.stdout).to.contain('It is on the agenda')
  })

  it('says that starting a flow needs a node', async () => {
    const { code, stderr } = await on('start', 'notes/Hello')
    expect(code).to.equal(1)
    expect(stderr).to.match(/^error\[node-not-running\]: No node runs on .*carillon run <app-module>/)
  })

  it('applies what an operator does to the store itself, without a start of a node', async () => {
    const startsBefore = (await json('log', 'show', '--limit', '1000')).filter(
      ({ event }) => (event as { type: string }).type === 'NodeStarted',
    ).length
    const triggered = await on('activity', 'trigger', ref)
    expect(triggered.code).to.equal(0)
    expect(triggered.stderr).to.contain('No node runs here; it takes effect when one is started.')
    expect((await json('flow', 'kill', stuck))[0]).to.deep.equal({ flow: stuck, action: 'kill', carriedOutBy: 'store' })
    expect((await on('drain', 'start')).code).to.equal(0)
    const refused = await on('flow', 'retry', stuck)
    expect(refused.stderr).to.match(/^error\[flow-ended\]/)
    const types = (await json('log', 'show', '--limit', '1000')).map(({ event }) => (event as { type: string }).type)
    expect(types.slice(-3)).to.deep.equal(['ActivityTriggered', 'FlowEnded', 'DrainingStarted'])
    expect(types.filter((type) => type === 'NodeStarted')).to.have.length(startsBefore)
    expect((await on('log', 'verify')).stdout).to.contain('The log is sound.')
  })

  it('replaces the socket a killed node left, and drains as it was told', async () => {
    const node = await RunningNode.start(store, ['--json'])
    const [started] = documents(node.stdout)
    expect(started?.['facts']).to.include({ draining: true })
    const second = await carillon(['run', fixtureApp, '--store', store])
    expect(second.code).to.equal(1)
    expect(second.stderr).to.match(/^error\[store-locked\]: .* held by process \d+/)
    expect((await on('drain', 'end')).code).to.equal(0)
    await node.until((stdout) => stdout.includes('"result":"later"'))
    const read = documents(node.stdout).find(({ result }) => result === 'later')
    expect(read).to.deep.include({ event: 'outcome', outcome: 'completed', name: 'notes/Read', attempt: 1 })
    const { code, stdout } = await node.signal('SIGINT')
    expect(code).to.equal(0)
    expect(documents(stdout).at(-1)).to.include({ event: 'stopped' })
  })

  it('tells what was overdue at a start, though it ran in the first tick', async () => {
    const node = await RunningNode.start(store)
    await json('start', 'notes/Add', '{"text":"overdue","inSeconds":3600,"copies":1}')
    await node.signal('SIGTERM')
    const [entry] = await json('agenda')
    const { transaction, index } = entry!['ref'] as { transaction: string; index: number }
    await on('activity', 'trigger', `${transaction}:${index}`)
    const again = await RunningNode.start(store)
    await again.until((stdout) => /completed +notes\/Read .*"overdue"/.test(stdout))
    await again.signal('SIGTERM')
  })

  it('moves a log as a file, finds what was altered in it, and rebuilds the views', async () => {
    const file = join(folder, 'export.ndjson')
    const restored = join(folder, 'restored')
    expect((await json('log', 'export', file))[0]).to.have.property('file', file)
    const again = await on('log', 'export', file)
    expect(again.code).to.equal(2)
    expect(again.stderr).to.contain('exists already')
    const [imported] = documents((await carillon(['log', 'import', file, '--store', restored, '--json'])).stdout)
    const [status] = await json('status')
    expect((imported!['head'] as { hash: string }).hash).to.equal(
      (status!['facts'] as { head: { hash: string } }).head.hash,
    )
    const [rebuilt] = documents((await carillon(['log', 'rebuild', '--store', restored, '--json'])).stdout)
    expect(rebuilt?.['before']).to.equal(rebuilt?.['after'])
    writeFileSync(file, readFileSync(file, 'utf8').replace('"overdue"', '"overdrawn"'))
    const forged = await carillon(['log', 'import', file, '--store', join(folder, 'forged')])
    expect(forged.code).to.equal(1)
    expect(forged.stderr).to.match(/^error\[import-invalid\]/)
    expect(existsSync(join(folder, 'forged'))).to.be.false
  })
})
