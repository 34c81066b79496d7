import { join } from 'node:path'
import { expect } from 'chai'
import { Hang, Sleep } from '../http/belfry.js'
import { ServedNode } from './servedNode.js'
import { columnsOf } from '../../src/cli/table.js'
import { carillon, documents, inProcess, RunningNode, scratchFolder } from './spawnCarillon.js'

describe('the command on a node that serves its API', () => {
  const { folder, remove } = scratchFolder()
  const store = join(folder, 'data')
  const on = (...args: readonly string[]) => carillon([...args, '--store', store])
  const said = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await on(...args)
    expect(code, stderr).to.equal(0)
    return stdout
  }
  const json = async (...args: readonly string[]) => documents(await said(...args, '--json'))
  let served: ServedNode
  let bell: string

  before(async () => {
    served = await ServedNode.start(store)
    bell = await served.node.run(Hang, { name: 'Emmanuel', minutes: 10, manner: 'plain' })
    await served.node.run(Hang, { name: 'Marie', minutes: 20, manner: 'cracked' })
  })
  after(async () => {
    await served.stop()
    remove()
  })

  it('measures distances by the clock of the node, which is years ahead of this machine', async () => {
    expect(await said('agenda')).to.match(/2031-03-01 12:10:00Z {2}in 10 min /)
    expect(await said('status')).to.match(/next .* in 10 min/)
    expect(await said('flow', 'list')).to.match(/now +[0-9a-f]{12} +belfry\/Hang/)
  })

  it('turns a virtual clock: jump, play at a speed, pause', async () => {
    expect(await said('clock', 'show')).to.match(/^2031-03-01 12:00:00Z {2}paused \(1 s a second/)
    expect(await said('clock', 'jump')).to.match(/^2031-03-01 12:10:00Z /)
    expect((await json('clock', 'play', '--speed', '1h'))[0]).to.include({ playing: true, speed: 3_600 })
    expect((await json('clock', 'pause'))[0]).to.include({ playing: false, speed: 3_600 })
    const wrong = await on('clock', 'play', '--speed', 'fast')
    expect(wrong).to.include({ code: 2 })
    expect(wrong.stderr).to.contain('such as 60, 10m, 1h or 1d')
    while (Date.parse(String((await json('clock', 'show'))[0]?.['now'])) < Date.parse('2031-03-01T12:20:00Z'))
      await said('clock', 'jump')
  })

  it('tells what has come of the agenda, in lines along time and for one state', async () => {
    const lines = await said('timeline', '--from', '2031-03-01T12:00:00Z', '--span', '30m', '--bars', '3')
    expect(lines).to.match(/12:10:00Z .* 1$/m)
    expect(lines).to.match(/FAILED/)
    expect((await json('timeline', '--from', '2031-03-01T12:00:00Z', '--span', '30m', '--bars', '3'))[1]).to.include({
      onTime: 1,
      failed: 0,
    })
    const [rung] = await json('occurrences', '--of', bell)
    expect(rung).to.include({ outcome: 'completed', latenessMs: 0 })
  })

  it('shows one state, what it led to, the types there are, and finds states by a text', async () => {
    expect(await said('state', 'show', bell)).to.match(/belfry\/Bell .*\n.*version +1[^]*"name": "Emmanuel"/)
    const graph = await said('state', 'graph', bell)
    expect(graph).to.match(/belfry\/Cast +belfry\/Bell [0-9a-f]{12}:0\n/)
    expect(graph).to.match(/belfry\/Rung +belfry\/Bell [0-9a-f]{12}:0 +belfry\/Bell [0-9a-f]{12}:0\n/)
    expect((await json('vault', '--types'))[0]).to.include({ type: 'belfry/Bell', unconsumed: 2 })
    expect((await json('vault', '--text', 'emma')).map(({ data }) => (data as { name: string }).name)).to.deep.equal([
      'Emmanuel',
    ])
  })

  it('shows a panel and takes its actions, and says what a panel lacks', async () => {
    expect(await said('panel', 'list')).to.match(/bells +Bells +hang/)
    expect(await said('panel', 'act', 'bells', 'hang', '--input', '{"name":"Gabriel"}')).to.equal('Gabriel hangs.\n')
    expect(await said('panel', 'show', 'bells')).to.contain('Gabriel')
    const unknown = await on('panel', 'show', 'belles')
    expect(unknown).to.include({ code: 1 })
    expect(unknown.stderr).to.match(/^error\[panel-unknown\]: .* There are: bells\./)
    expect((await on('panel', 'act', 'bells', 'hang', '--input', '[]')).code).to.equal(2)
  })

  it('lists the flows that can be started, and waits for what one returns', async () => {
    expect(await said('flow', 'definitions')).to.match(/belfry\/Hang +1 +name, minutes, manner/)
    const [flow] = await json('flow', 'list', '--name', 'belfry/Hang', '--limit', '1')
    expect((await json('flow', 'result', String(flow?.['id'])))[0]?.['result']).to.match(/^[0-9a-f]{64}:0$/)
  })

  it('says whose a token is and what it allows, until it is revoked', async () => {
    const [made] = await json('token', 'new', '--name', 'wall', '--permission', 'view', '--permission', 'bells:view')
    const token = String(made?.['token'])
    expect(await said('token', 'check', token)).to.match(/^wall may view, bells:view, until 20\d\d-/)
    await said('token', 'revoke', String(made?.['id']))
    const refused = await on('token', 'check', token)
    expect(refused).to.include({ code: 1 })
    expect(refused.stderr).to.match(/^error\[token-refused\]/)
    expect(refused.stderr).not.to.contain(token)
  })

  it('says whether the node takes work, and why not', async () => {
    expect(await said('ready')).to.equal('The node takes work.\n')
    await said('drain', 'start')
    const refused = await on('ready')
    expect(refused).to.include({ code: 1 })
    expect(refused.stderr).to.match(/^error\[node-draining\]/)
    await said('drain', 'end')
  })

  it('prints charts, metrics, parties and the OpenAPI document', async () => {
    expect((await said('charts', '--points', '30')).split('\n')).to.have.length(32)
    expect((await json('charts', '--points', '30'))[0]?.['points']).to.have.length(31)
    expect(await said('metrics')).to.match(/^carillon_ticks_total\{node="Quasimodo"\} \d+$/m)
    expect(await said('parties')).to.match(/^Quasimodo \(this node\)/m)
    expect(await said('sessions')).to.equal('This node has not talked with another party yet.\n')
    const { paths } = JSON.parse(await said('openapi')) as { paths: Record<string, Record<string, object>> }
    expect(paths['/api/v1/parties']?.['get']).to.deep.include({ 'x-verbs': ['carillon parties'] })
    expect(paths).to.have.property('/api/v1/app/bells/count')
  })

  it('fits its tables into 80 columns, and into 40', async () => {
    const tables = [
      ...['agenda', 'agenda --show attention', 'occurrences', 'vault', 'vault --types', 'vault --status all'],
      ...['flow list', 'flow definitions', 'log show', 'token list', 'parties', 'timeline', 'panel list'],
      ...['panel show bells', 'charts'],
    ]
    for (const words of tables)
      for (const width of [80, 40]) {
        const { code, stdout } = await inProcess([...words.split(' '), '--store', store], width)
        expect(code, words).to.equal(0)
        for (const line of stdout.split('\n'))
          expect(columnsOf(line), `${words} in ${width}: ${line}`).to.be.at.most(width)
      }
  })

  it('follows the log and the node live, each event once, across a restart of the node', async () => {
    const log = RunningNode.begin(['log', 'follow', '--from', '0', '--json', '--store', store])
    const live = RunningNode.begin(['live', '--store', store])
    try {
      await Promise.all([
        log.until((text) => text.includes(`"revision":${served.node.head.revision},`)),
        live.until((text) => text.includes('to come')),
      ])
      await served.stop()
      await served.start()
      await served.node.start(Sleep, {})
      const last = served.node.head.revision
      await Promise.all([
        log.until((text) => text.includes(`"revision":${last},`)),
        live.until((text) => text.includes('1 open flow')),
      ])
      const ended = await log.signal('SIGINT')
      expect(ended.code).to.equal(0)
      expect(ended.stderr).to.contain('The node went away.')
      expect(ended.stderr).to.match(new RegExp(`Go on with: carillon log follow --from ${last + 1} --store`))
      expect(documents(ended.stdout).map(({ revision }) => revision)).to.deep.equal(
        Array.from({ length: last + 1 }, (_, revision) => revision),
      )
      expect((await live.signal('SIGINT')).code).to.equal(0)
    } finally {
      await Promise.all([log.signal('SIGKILL'), live.signal('SIGKILL')])
    }
  })

  it('says of each verb that needs a node that none runs', async () => {
    await served.stop()
    for (const args of [['clock', 'show'], ['panel', 'list'], ['metrics'], ['log', 'follow'], ['live'], ['ready']]) {
      const { code, stderr } = await on(...args)
      expect(code, args.join(' ')).to.equal(1)
      expect(stderr, args.join(' ')).to.match(
        /^error\[node-not-running\]: No node runs on .* carillon run <app-module>/,
      )
    }
  })
})
