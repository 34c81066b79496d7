import { existsSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { carillon, documents, RunningNode, scratchFolder } from './spawnCarillon.js'

describe('the command beside a running node', function () {
  const { folder, remove } = scratchFolder()
  const store = join(folder, 'data')
  const on = (...args: readonly string[]) => carillon([...args, '--store', store])
  const json = async (...args: readonly string[]) => documents((await on(...args, '--json')).stdout)
  let node: RunningNode
  /** A transaction with two notes that are due in an hour. */
  let pair: string

  before(async () => {
    node = await RunningNode.start(store, ['--party', 'Nora'])
    const added = await json('start', 'notes/Add', '{"text":"later","inSeconds":3600,"copies":2}')
    pair = String(added[0]?.['result'])
  })
  after(async () => {
    await node.signal('SIGKILL')
    remove()
  })

  it('greets with the party, what is pending, how to stop and what to try', () => {
    expect(node.stdout).to.match(/^notes 1\.2\.3, run by Nora\n/)
    expect(node.stdout).to.contain('pending   nothing yet')
    expect(node.stdout).to.contain('Ctrl-C')
    expect(node.stdout).to.contain(`carillon start notes/Sleep --store ${store}`)
  })

  it('writes no link to its dashboard where no terminal is, and makes one on request', async () => {
    expect(node.stdout).to.match(/dashboard +http:\/\/127\.0\.0\.1:\d+ {2}\(for a link: carillon token link/)
    expect(`${node.stdout}${node.stderr}`).not.to.contain('#link=')
    expect((await on('token', 'link')).stdout).to.match(/^http:\S+#link=\S+\n$/)
  })

  it('keeps its socket to its owner', () => {
    expect(statSync(join(store, 'control.sock')).mode & 0o777).to.equal(0o600)
    expect(statSync(store).mode & 0o777).to.equal(0o700)
  })

  it('starts a flow, waits for its result, and finds it again by client id', async () => {
    const [first, again, other] = await Promise.all([
      on('start', 'notes/Hello'),
      on('start', 'notes/Hello', '--client-id', 'from-on-start', '--json'),
      on('start', 'notes/Hello', '--no-wait'),
    ])
    expect(first).to.include({ code: 0, stdout: '"hello"\n' })
    const flow = String(documents(again.stdout)[0]?.['flow'])
    expect(documents((await on('flow', 'show', flow, '--json')).stdout)[0]?.['startedBy']).to.include({ by: 'onStart' })
    expect(other.stdout).to.match(/^[0-9a-f]{32}\n$/)
    const named = documents((await on('flow', 'show', 'local:from-on-start', '--json')).stdout)
    expect(named[0]).to.include({ id: flow })
  })

  it('says with a code and a page what was wrong with a request', async () => {
    const [unknown, unfit, broken] = await Promise.all([
      on('start', 'notes/Helo'),
      on('start', 'notes/Add', '{"text":1}'),
      on('start', 'notes/Add', '{text'),
    ])
    expect(unknown.code).to.equal(1)
    expect(unknown.stderr).to.match(/^error\[flow-unknown\]: .*\nWhat to do: carillon explain flow-unknown\n$/)
    expect(unfit.code).to.equal(1)
    expect(unfit.stderr).to.match(/^error\[flow-input-invalid\]: .*text is 1, expected string/)
    expect(broken.code).to.equal(2)
    expect(broken.stderr).to.match(/^error\[usage\]: The input is not JSON/)
  })

  it('tells each occurrence with its lateness as it happens', async () => {
    const added = await json('start', 'notes/Add', '{"text":"at once","inSeconds":0,"copies":1}')
    await node.until((stdout) => stdout.includes('"at once"'))
    expect((await on('occurrences')).stdout).to.match(/completed .* notes\/Read/)
    const line = node.stdout.split('\n').find((candidate) => candidate.includes('"at once"'))
    expect(line).to.match(
      /^\d\d:\d\d:\d\d\.\d{3}Z {2}completed {5}notes\/Read {2}[0-9a-f]{12}:0 {2}(on time|.* late) {2}"at once"$/,
    )
    expect(line).to.contain(String(added[0]?.['result']).slice(0, 12))
  })

  it('shows agenda, vault and status while the node runs', async () => {
    const [agenda, vault, status] = await Promise.all([on('agenda'), json('vault'), json('status')])
    expect(agenda.stdout.split('\n')[0]).to.match(/^DUE +ACTS +FLOW +STATE +REF$/)
    expect(agenda.stdout).to.match(new RegExp(`in (59|60) min|in 1 h`))
    expect(agenda.stdout).to.contain(`${pair.slice(0, 12)}:1`)
    expect(vault.map(({ data }) => data)).to.have.length(2)
    expect(status[0]).to.deep.include({
      running: true,
      activities: { scheduled: 2, failed: 0, parked: 0, missed: 0, paused: 0, unconsumed: 0 },
    })
  })

  it('asks the API for whatever no verb is made for, and hands on what it refuses', async () => {
    const [parties, refused, acted] = await Promise.all([
      json('api', '/parties'),
      on('api', '/nothing'),
      on('api', '/drain/end', '--method', 'POST'),
    ])
    expect(parties[0]?.['items']).to.have.length(1)
    expect(refused).to.include({ code: 1 })
    expect(refused.stderr).to.match(/^error\[route-unknown\]: There is no GET \/api\/v1\/nothing/)
    expect(acted).to.include({ code: 0, stdout: '{\n  "done": true\n}\n' })
  })

  it('holds an activity, explains it by a few digits of its ref, and lets it go', async () => {
    const paused = await on('activity', 'pause', `${pair.slice(0, 8)}:0`, '--note', 'after the audit')
    expect(paused).to.include({ code: 0, stdout: `The activity of ${pair}:0 is paused.\n` })
    const [why, list] = await Promise.all([on('why', `${pair.slice(0, 6)}:0`), json('agenda', '--show', 'paused')])
    expect(why.stdout).to.contain('It is paused (after the audit).')
    expect(list).to.have.length(1)
    await on('activity', 'resume', `${pair}:0`)
    await on('activity', 'trigger', `${pair}:0`)
    await node.until((stdout) => stdout.includes('"later"'))
    const events = await json('log', 'show')
    const acts = events.map(({ event }) => event as { type: string; by?: string })
    for (const type of ['ActivityPaused', 'ActivityResumed', 'ActivityTriggered'])
      expect(acts.find((event) => event.type === type)).to.include({ by: `cli:${userInfo().username}` })
  })

  it('refuses a ref that could mean two states, and one that means none', async () => {
    const [two, none, garbled] = await Promise.all([
      on('why', pair.slice(0, 8)),
      on('why', `${pair}:7`),
      on('why', 'x'),
    ])
    expect(two.stderr).to.match(/^error\[state-unknown\]: .* has 2 outputs/)
    expect(none.stderr).to.match(/^error\[state-unknown\]: .* there is no :7/)
    expect(garbled.stderr).to.match(/^error\[state-unknown\]: "x" is not a state ref/)
    expect([two.code, none.code, garbled.code]).to.deep.equal([1, 1, 1])
  })

  it('pauses, resumes and kills a flow, and retries a parked one', async () => {
    const [[slept], [parked]] = await Promise.all([
      json('start', 'notes/Sleep', '--no-wait'),
      json('start', 'notes/Park', '--no-wait'),
    ])
    const sleeper = String(slept?.['flow'])
    const stuck = String(parked?.['flow'])
    expect((await on('flow', 'pause', sleeper.slice(0, 10))).stdout).to.equal(`Flow ${sleeper} is paused.\n`)
    expect(await json('flow', 'list', '--status', 'paused')).to.have.length(1)
    expect((await on('flow', 'resume', sleeper)).code).to.equal(0)
    const [kill, retry] = await Promise.all([on('flow', 'kill', sleeper), on('flow', 'retry', stuck)])
    expect([kill.code, retry.code]).to.deep.equal([0, 0])
    const again = await on('flow', 'kill', sleeper)
    expect(again.code).to.equal(1)
    expect(again.stderr).to.match(/^error\[flow-ended\]/)
    expect((await json('flow', 'show', sleeper))[0]).to.include({ status: 'killed' })
  })

  it('stops in good order when it is asked to, and takes its socket away', async () => {
    const { code, stderr } = await node.signal('SIGTERM')
    expect(code).to.equal(0)
    expect(stderr).to.match(/Stopped in good order at revision \d+\./)
    expect(existsSync(join(store, 'control.sock'))).to.be.false
    expect((await json('log', 'show', '--limit', '1')).map(({ event }) => event)).to.deep.equal([
      { type: 'NodeStopped' },
    ])
  })
})
