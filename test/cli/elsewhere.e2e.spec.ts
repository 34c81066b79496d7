import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { Relay } from '../faults/Relay.js'
import { dropSchema, freshSchema, postgresUrl } from '../postgres/testDatabase.js'
import { carillon, documents, fixtureApp, RunningNode, scratchFolder } from './spawnCarillon.js'

describe('the command on a log that is kept elsewhere', function () {
  const { folder, remove } = scratchFolder()
  const store = join(folder, 'data')
  const schema = freshSchema()
  let server: string
  let relay: Relay
  let log: string

  const findings = async (...args: readonly string[]) => {
    const { code, stdout } = await carillon(['doctor', '--json', '--store', store, ...args])
    const [answer] = documents(stdout)
    const found = answer?.['findings'] as readonly { check: string; state: string; text: string }[]
    return { code, of: (check: string) => found.find((finding) => finding.check === check)! }
  }

  before(async () => {
    server = await postgresUrl()
    const address = new URL(server)
    relay = await Relay.listen(Number(address.port === '' ? 5432 : address.port))
    address.host = `127.0.0.1:${relay.port}`
    address.searchParams.set('schema', schema)
    log = address.href
    const node = await RunningNode.start(store)
    await carillon(['start', 'notes/Add', '{"text":"a","inSeconds":3600,"copies":1}', '--store', store])
    await node.signal('SIGINT')
  })
  after(async () => {
    await relay.close()
    await dropSchema(server, schema)
    remove()
  })

  it('examines a store before and after it is there, and an address that is none', async () => {
    const [empty, here, wrong, text] = await Promise.all([
      carillon(['doctor', '--store', join(folder, 'none')]),
      findings(),
      findings('--log', 'mongodb://db'),
      carillon(['doctor', '--store', store]),
    ])
    expect(empty.code).to.equal(0)
    expect(empty.stdout).to.match(/store +notice there is none/)
    expect(here.code).to.equal(0)
    expect(here.of('node')).to.include({ state: 'good', text: 'none runs here' })
    expect(here.of('log').text).to.match(/^in the store, \d+ events/)
    expect(wrong.code).to.equal(1)
    expect(wrong.of('log').text).to.match(/^log-address-invalid: /)
    expect(text.stdout.match(/^\w+ +(good|notice|bad) /gm)).to.have.length.at.least(9)
  })

  it('copies the log of a stopped node onto a server and back, to the same head', async () => {
    const copied = await carillon(['log', 'copy', store, log])
    expect(copied.stdout).to.match(/^\d+ events copied and verified, head [0-9a-f]{64}\.\n$/)
    expect(copied.stderr).to.contain('--log <the new address>').and.to.not.contain('password')
    const back = join(folder, 'back')
    const returned = await carillon(['log', 'copy', log, back])
    expect(returned.stdout).to.equal(copied.stdout)
    expect((await carillon(['log', 'verify', '--store', back])).stdout).to.contain('The log is sound.')
    const [again, full] = await Promise.all([
      carillon(['log', 'copy', store, log]),
      carillon(['log', 'copy', join(folder, 'nowhere'), log]),
    ])
    expect(again.code, 'an unchanged copy is complete').to.equal(0)
    expect(full.stderr).to.match(/^error\[store-not-found\]: /)
  })

  it('runs a node there, and says in doctor and status that its log is away, until it is back', async () => {
    const node = await RunningNode.start(store, ['--log', log])
    expect((await findings('--log', log)).of('node')).to.include({ state: 'good', text: 'runs and records' })
    relay.down()
    const asked = carillon(['start', 'notes/Add', '{"text":"b","inSeconds":3600,"copies":1}', '--store', store])
    let away = await findings('--log', log)
    while (away.of('node').state === 'good') away = await findings('--log', log)
    expect(away.code).to.equal(1)
    expect(away.of('node').text).to.match(/^log-unreachable: .*It goes on trying by itself/)
    expect(away.of('log').text).to.match(/^log-unreachable: /)
    expect(`${away.of('node').text}${away.of('log').text}`).to.not.contain('password@')
    expect((await carillon(['status', '--store', store])).stdout).to.match(/trouble +log-unreachable: /)
    relay.up()
    await asked
    const started = await carillon(['start', 'notes/Hello', '--store', store])
    expect(started.code, started.stderr).to.equal(0)
    expect((await findings('--log', log)).of('node').state).to.equal('good')
    expect((await node.signal('SIGINT')).code).to.equal(0)
  })

  it('stands by, takes over from a leader that was killed, and stops in good order', async () => {
    const two = join(folder, 'two')
    mkdirSync(two)
    for (const file of ['node.key', 'node.secret']) cpSync(join(store, file), join(two, file))
    const standby = (at: string, ...more: readonly string[]) =>
      RunningNode.begin(['standby', fixtureApp, '--json', '--lease', '1', '--log', log, '--store', at, ...more])
    const first = standby(store)
    await first.until((stdout) => stdout.includes('"event":"leading"'))
    const second = standby(two, '--http', '127.0.0.1:0')
    let url = ''
    await second.until((stdout) => {
      url = /"http":"([^"]+)"/.exec(stdout)?.[1] ?? ''
      return stdout.includes('"event":"following"') && url !== ''
    })
    const authorization = `Bearer ${readFileSync(join(two, 'http.token'), 'utf8').trim()}`
    const ready = async (): Promise<number> =>
      (await fetch(`${url}/api/v1/ready`, { headers: { authorization } })).status
    expect(await ready(), 'it stands by').to.equal(503)
    const looked = await carillon(['doctor', '--store', two])
    expect(looked.stdout).to.match(/node +notice .*stands by/)
    await first.signal('SIGKILL')
    await second.until((stdout) => stdout.includes('"event":"leading"'))
    expect(await ready(), 'it leads').to.equal(200)
    const started = await carillon(['start', 'notes/Hello', '--store', two])
    expect(started.code, started.stderr).to.equal(0)
    expect((await carillon(['metrics', '--store', two])).stdout).to.match(/^carillon_leading\{.*\} 1$/m)
    const { code, stdout } = await second.signal('SIGINT')
    expect(code).to.equal(0)
    expect(documents(stdout).map(({ event }) => event)).to.deep.equal(['following', 'serving', 'leading', 'stopped'])
    const verified = await carillon(['log', 'verify', '--log', log])
    expect(verified.stdout).to.contain('The log is sound.')
  })

  it('says what a standby lacks', async () => {
    const [without, lease] = await Promise.all([
      carillon(['standby', fixtureApp, '--store', store]),
      carillon(['standby', fixtureApp, '--store', store, '--log', log, '--lease', '0']),
    ])
    expect(without.code).to.equal(2)
    expect(without.stderr).to.contain('--log <address>')
    expect(lease.code).to.equal(2)
    expect(lease.stderr).to.contain('It must be a whole number from 1 on.')
  })
})
