import { expect } from 'chai'
import { standBy, startNode } from '../../src/index.js'
import { serveStandby, type HttpServer } from '../../src/entries/http.js'
import { MemoryLog } from '../../src/entries/logs.js'
import type { Standby } from '../../src/entries/types.js'
import { newTokenText } from '../../src/http/TokenText.js'
import { NewTokenC } from '../../src/operator/operateTokens.js'
import { keyPairFromSeed } from '../../src/testing/index.js'
import { belfry, bellsPanel, countBells, Hang } from './belfry.js'

const key = keyPairFromSeed('7'.repeat(64))
const localToken = newTokenText().text

type Answered = { readonly status: number; readonly text: string; readonly body: Readonly<Record<string, unknown>> }

describe('a process that stands by, over HTTP', () => {
  let shared: MemoryLog
  let leader: Standby
  let follower: Standby
  let http: HttpServer

  const start = (): Promise<Standby> =>
    standBy({ app: belfry, party: 'Quasimodo', key, log: shared.another(), leaseMs: 5_000 })
  type Asking = { readonly method?: string; readonly headers?: Readonly<Record<string, string>> }
  const ask = async (path: string, init: Asking = {}, token = localToken): Promise<Answered> => {
    const response = await fetch(`${http.url}/api/v1${path}`, {
      ...init,
      headers: { ...(token === '' ? {} : { authorization: `Bearer ${token}` }), ...init.headers },
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return { status: response.status, text, body: isJson ? (JSON.parse(text) as Record<string, unknown>) : {} }
  }
  const gauge = async (name: string): Promise<number | undefined> => {
    const [, value] =
      new RegExp(`^carillon_${name}\\{node="Quasimodo"\\} (.+)$`, 'm').exec((await ask('/metrics')).text) ?? []
    return value === undefined ? undefined : Number(value)
  }

  beforeEach(async () => {
    shared = new MemoryLog()
    leader = await start()
    await (await leader.leading()).run(Hang, { name: 'Emmanuel', minutes: 10, manner: 'plain' })
    follower = await start()
    http = await serveStandby({ standby: follower, panels: [bellsPanel], endpoints: [countBells] }, { localToken })
  })

  afterEach(async () => {
    await http.close()
    await leader.stop()
    await follower.stop()
  })

  it('is alive and says that it follows, but is not ready for work', async () => {
    expect((await ask('/health')).body).to.include({ alive: true, role: 'following' })
    const { status, body } = await ask('/ready')
    expect([status, body['code']]).to.deep.equal([503, 'node-following'])
  })

  it('tells its role, its position in the log and how long the leader was silent, and nothing that is the leader’s', async () => {
    expect(await gauge('up')).to.equal(0)
    expect(await gauge('leading')).to.equal(0)
    expect(await gauge('leader_silent_seconds')).to.be.within(0, 10)
    expect(await gauge('term')).to.equal(1)
    expect(await gauge('views_revision')).to.equal(await gauge('log_revision'))
    expect(await gauge('views_revision')).to.equal(follower.head.revision)
    expect((await ask('/metrics')).text).not.to.match(/^carillon_activities\{/m)
  })

  it('refuses what only the leader can answer, for every route that needs a node', async () => {
    for (const path of ['/status', '/agenda', '/states', '/flows', '/log', '/app/bells/count', '/live', '/tokens']) {
      const { status, body } = await ask(path)
      expect([path, status, body['code']]).to.deep.equal([path, 503, 'node-following'])
    }
    const drained = await ask('/drain/start', { method: 'POST' })
    expect([drained.status, drained.body['code']]).to.deep.equal([503, 'node-following'])
  })

  it('lets nobody in without a token, knows those the leader has issued, and what they allow', async () => {
    expect((await ask('/metrics', {}, '')).status).to.equal(401)
    expect((await ask('/health', {}, newTokenText().text)).status).to.equal(401)
    const { id, text, hash } = newTokenText()
    const decoded = NewTokenC.decode({ token: id, name: 'starter', hash, permissions: ['start:belfry/Hang'] })
    if (decoded._tag === 'Left') throw new Error('no token')
    await (await leader.leading()).issueToken(decoded.right)
    while ((await ask('/me', {}, text)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 5))
    expect((await ask('/metrics', {}, text)).status).to.equal(403)
    expect((await ask('/metrics', { headers: { origin: 'https://evil.example' } })).status).to.equal(403)
  })

  it('refuses to be reached from other machines without TLS', async () => {
    const refused = await serveStandby({ standby: follower }, { host: '0.0.0.0' }).then(
      () => 'served',
      (error: unknown) => (error as { readonly code: string }).code,
    )
    expect(refused).to.equal('tls-required')
  })

  it('serves the whole API at the same address once it leads, and its metrics go on', async () => {
    expect((await ask('/app/bells/count')).status).to.equal(503)
    await leader.stop()
    await follower.leading()
    expect((await ask('/ready')).status).to.equal(200)
    expect((await ask('/health')).body).to.include({ role: 'leading' })
    expect((await ask('/app/bells/count')).body).to.deep.equal({ bells: 1 })
    expect((await ask('/panels/bells')).status).to.equal(200)
    expect(await gauge('leading')).to.equal(1)
    expect((await ask('/metrics')).text).to.match(/^carillon_activities\{.*standing="scheduled".*\} 1$/m)
  })

  it('no longer tells what it knew as the leader when another one leads', async () => {
    await leader.stop()
    const node = await follower.leading()
    expect(await gauge('activities_due')).to.equal(0)
    const live = await fetch(`${http.url}/api/v1/live`, { headers: { authorization: `Bearer ${localToken}` } })
    // As when it was cut off and another one leads by now: its next append is refused.
    const rival = await startNode({ app: belfry, party: 'Quasimodo', key, log: shared.another() })
    await node.run(Hang, { name: 'Marie', minutes: 10, manner: 'plain' }).catch(() => undefined)
    await live.text().catch(() => undefined)
    while (follower.role === 'leading') await new Promise((resolve) => setTimeout(resolve, 5))
    expect((await ask('/health')).body).to.include({ role: 'following' })
    expect(await gauge('activities_due')).to.be.undefined
    await rival.stop()
  })
})
