import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  digestViews,
  foldLog,
  instant,
  openLog,
  standBy,
  startNode,
  verifyLog,
  type CarillonError,
  type Node,
  type Standby,
} from '../../src/index.js'
import { headAfter, tickAfter } from '../../src/log/Tick.js'
import { signed } from '../log/signing.js'
import { keyPairFromSeed } from '../../src/testing/index.js'
import { overHttp } from '../faults/overHttp.js'
import { bank as app, Coin, MintCoin } from '../store/bank.js'
import { Cluster } from './EventStoreDbServer.js'

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'fulfilled',
    (error: unknown) => (error as CarillonError).code,
  )

const until = async (what: string, holds: () => boolean): Promise<void> => {
  const end = performance.now() + 20_000
  while (!holds()) {
    if (performance.now() > end) throw new Error(`never came true: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Asks again and again, under the same client id, as a careful caller does. */
const mint = async (node: Node, value: number): Promise<void> => {
  const end = performance.now() + 30_000
  for (;;) {
    const outcome = await codeOf(node.run(MintCoin, { value }, { clientId: `coin ${value}` }))
    if (outcome === 'fulfilled') return
    expect(outcome).to.be.oneOf(['log-unreachable', 'disk-full'])
    if (performance.now() > end) throw new Error('the log never came back')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const values = async (node: Node): Promise<readonly number[]> => (await node.states(Coin)).map(({ data }) => data.value)

describe('A node on EventStoreDB', () => {
  let folder: string
  let cluster: Cluster
  let node: Node | undefined
  let failures: Error[]
  let said: string[]

  const start = async (): Promise<Node> => {
    node = await startNode({
      app,
      store: folder,
      log: cluster.url('log'),
      onFailure: (error) => void failures.push(error),
      logger: { info: () => undefined, warn: (text) => void said.push(text), error: (text) => void said.push(text) },
    })
    return node
  }
  const server = (index = 0) => cluster.servers[index]!

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-esdb-'))
    failures = []
    said = []
  })

  afterEach(async () => {
    await node?.crash()
    node = undefined
    await cluster.close()
    rmSync(folder, { recursive: true })
  })

  it('waits for a server that is down when it starts, and says so', async () => {
    cluster = await Cluster.start()
    await server().stop()
    const starting = start()
    await until('it says so', () => said.some((text) => text.includes('The node waits for its log')))
    await server().resume()
    await mint(await starting, 1)
    expect(await values(node!)).to.deep.equal([1])
  })

  it('goes on after a stop and a crash from where the log ends', async () => {
    cluster = await Cluster.start()
    await mint(await start(), 1)
    await node!.stop()
    await mint(await start(), 2)
    await node!.crash()
    // Another machine: nothing but the log and the key is left of the node.
    for (const file of ['carillon.db', 'carillon.db-wal', 'carillon.db-shm'])
      rmSync(join(folder, file), { force: true })
    await mint(await start(), 3)
    expect(await values(node!)).to.deep.equal([1, 2, 3])
    const log = await openLog(cluster.url('log'))
    expect((await verifyLog(log.read(0), { decode: true })).problems).to.deep.equal([])
    await node!.idle()
    const folded = await foldLog(log.read(0))
    expect(await node!.viewsDigest()).to.equal(digestViews(folded))
    folded.close()
    await log.close()
  })

  it('says so while the server is away, in words and over HTTP, and goes on when it is back', async () => {
    cluster = await Cluster.start()
    const running = await start()
    await mint(running, 1)
    await server().stop()
    // Whether this is recorded is not known until the server is back; the caller waits to know.
    const asked = codeOf(running.start(MintCoin, { value: 2 }, { clientId: 'coin 2' }))
    await until('it has noticed', () => running.trouble !== undefined)
    const { get, close } = await overHttp(running)
    expect((await get('/health')).body).to.have.nested.property('trouble.code', 'log-unreachable')
    expect((await get('/ready')).status).to.equal(503)
    expect((await get('/status')).body).to.have.nested.property('trouble.code', 'log-unreachable')
    expect(said.join('\n')).to.contain('127.0.0.1')
    expect(await values(running), 'what is known can be asked').to.deep.equal([1])
    await server().resume()
    await asked
    await mint(running, 2)
    await mint(running, 3)
    expect((await get('/ready')).status).to.equal(200)
    await close()
    expect(await values(running)).to.deep.equal([1, 2, 3])
    expect(failures).to.deep.equal([])
  })

  for (const fault of ['cut after', 'cut before', 'no room'] as const)
    it(`loses and doubles nothing when an append meets: ${fault}`, async () => {
      cluster = await Cluster.start()
      const running = await start()
      await mint(running, 1)
      server().next(fault)
      await mint(running, 2)
      await mint(running, 3)
      expect(await values(running)).to.deep.equal([1, 2, 3])
      expect(failures).to.deep.equal([])
    })

  it('goes on with a new leader of the cluster, also when the old one is gone', async () => {
    cluster = await Cluster.start(3)
    const running = await start()
    await mint(running, 1)
    cluster.leader = 1
    await mint(running, 2)
    await server(1).stop()
    cluster.leader = 2
    await mint(running, 3)
    expect(await values(running)).to.deep.equal([1, 2, 3])
    expect(failures).to.deep.equal([])
  })

  it('says so while it is not let in, and goes on when it is again', async () => {
    cluster = await Cluster.start()
    const running = await start()
    await mint(running, 1)
    server().denies = true
    expect(await codeOf(running.drain())).to.equal('log-access-denied')
    expect(running.trouble?.code).to.equal('log-access-denied')
    const { get, close } = await overHttp(running)
    expect((await get('/health')).body).to.have.nested.property('trouble.code', 'log-access-denied')
    expect((await get('/ready')).status).to.equal(503)
    expect(said.join('\n')).to.contain('refuses access')
    server().denies = false
    await mint(running, 2)
    expect((await get('/ready')).status).to.equal(200)
    await close()
    expect(await values(running)).to.deep.equal([1, 2])
    expect(failures).to.deep.equal([])
  })

  it('does not start where it is not let in, or where another program keeps its stream', async () => {
    cluster = await Cluster.start()
    server().denies = true
    expect(await codeOf(start())).to.equal('log-access-denied')
    server().denies = false
    const event = { id: randomUUID(), type: 'order-placed', contentType: 'application/json' }
    const nothing = new Uint8Array(Buffer.from('{}'))
    cluster.store.append('log', 'any', [{ ...event, data: nothing, metadata: nothing }])
    expect(await codeOf(start())).to.equal('log-foreign')
  })

  it('does not start on what a newer version has written, and leaves it as it is', async () => {
    cluster = await Cluster.start()
    await mint(await start(), 1)
    await node!.stop()
    const log = await openLog(cluster.url('log'))
    const head = await log.head()
    const tick = tickAfter(head, instant('2026-01-01T00:00:00.000Z'), ['{"type":"FromTheFuture"}'], signed)
    expect((await log.append(head, tick)).kind).to.equal('appended')
    expect(await codeOf(start())).to.equal('log-too-new')
    expect(await log.head()).to.deep.equal(headAfter(tick))
    await log.close()
  })

  it('stops and says why when the stream is no longer its own', async () => {
    cluster = await Cluster.start()
    const running = await start()
    await mint(running, 1)
    cluster.store.deleted.add('log')
    expect(await codeOf(running.start(MintCoin, { value: 2 }))).to.equal('log-foreign')
    expect(failures.map((error) => (error as CarillonError).code)).to.deep.equal(['log-foreign'])
  })
})

describe('Standbys on EventStoreDB', () => {
  const key = keyPairFromSeed('9'.repeat(64))
  const leaseMs = 400
  let folder: string
  let cluster: Cluster
  const processes: Standby[] = []

  const start = async (name: string): Promise<Standby> => {
    const standby = await standBy({ app, store: join(folder, name), log: cluster.url('log'), leaseMs, key })
    processes.push(standby)
    return standby
  }

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-esdb-'))
    cluster = await Cluster.start(3)
  })

  afterEach(async () => {
    for (const standby of processes.splice(0)) await standby.stop()
    await cluster.close()
    rmSync(folder, { recursive: true })
  })

  it('follow across lost connections, and one leads when the leader is gone', async () => {
    const first = await start('one')
    const leader = await first.leading()
    const second = await start('two')
    await mint(leader, 1)
    // Every subscription breaks; each goes on from what it has handled.
    for (const server of cluster.servers) await server.cut()
    await mint(leader, 2)
    expect([first.role, second.role]).to.deep.equal(['leading', 'following'])
    await leader.crash()
    const next = await second.leading()
    await mint(next, 3)
    expect(await values(next)).to.deep.equal([1, 2, 3])
  })

  it('go on, each in its role or the other, when the cluster has a new leader', async () => {
    const first = await start('one')
    const second = await start('two')
    await mint(await Promise.race([first.leading(), second.leading()]), 1)
    cluster.leader = 2
    const mintByWhoeverLeads = async (value: number): Promise<void> => {
      const end = performance.now() + 20_000
      for (;;) {
        const node = [first, second].find(({ role }) => role === 'leading')?.node
        const outcome = node && (await codeOf(node.run(MintCoin, { value }, { clientId: `coin ${value}` })))
        if (outcome === 'fulfilled') return
        if (performance.now() > end) throw new Error('nobody leads')
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    await mintByWhoeverLeads(2)
    await mintByWhoeverLeads(3)
    const leading = [first, second].find(({ role }) => role === 'leading')
    expect(await values(leading!.node!)).to.deep.equal([1, 2, 3])
  })
})
