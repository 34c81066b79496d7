import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jsonEvent } from '@eventstore/db-client'
import { expect } from 'chai'
import { instant, standBy, startNode, type CarillonError, type Node } from '../../src/index.js'
import { digestViews } from '../../src/storage/digest.js'
import { foldLog, openLog, verifyLog, type EventLog } from '../../src/entries/logs.js'
import type { Standby } from '../../src/entries/types.js'
import { headAfter, tickAfter } from '../../src/log/Tick.js'
import { signed } from '../log/signing.js'
import { keyPairFromSeed } from '../../src/testing/index.js'
import { overHttp } from '../faults/overHttp.js'
import { bank as app, MintCoin } from '../store/bank.js'
import { codeOf, mint, until, values } from './mint.js'
import { itNeedsFaults, ServerUnderTest } from './serverUnderTest.js'

describe('A node on EventStoreDB', () => {
  let folder: string
  let server: ServerUnderTest
  let node: Node | undefined
  let failures: Error[]
  let said: string[]

  const start = async (log: string | EventLog = server.url()): Promise<Node> => {
    node = await startNode({
      app,
      store: folder,
      log,
      onFailure: (error) => void failures.push(error),
      logger: { info: () => undefined, warn: (text) => void said.push(text), error: (text) => void said.push(text) },
    })
    return node
  }
  const serverOf = (index = 0) => server.cluster.servers[index]!

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-esdb-'))
    failures = []
    said = []
  })

  afterEach(async () => {
    await node?.crash()
    node = undefined
    await server.close()
    rmSync(folder, { recursive: true })
  })

  itNeedsFaults('waits for a server that is down when it starts, and says so', async () => {
    server = await ServerUnderTest.start()
    await serverOf().stop()
    const starting = start()
    await until('it says so', () => said.some((text) => text.includes('The node waits for its log')))
    await serverOf().resume()
    await mint(await starting, 1)
    expect(await values(node!)).to.deep.equal([1])
  })

  it('goes on after a stop and a crash from where the log ends', async () => {
    server = await ServerUnderTest.start()
    await mint(await start(), 1)
    await node!.stop()
    await mint(await start(), 2)
    await node!.crash()
    // Another machine: nothing but the log and the key is left of the node.
    for (const file of ['carillon.db', 'carillon.db-wal', 'carillon.db-shm'])
      rmSync(join(folder, file), { force: true })
    await mint(await start(), 3)
    expect(await values(node!)).to.deep.equal([1, 2, 3])
    const log = await openLog(server.url())
    expect((await verifyLog(log.read(0), { decode: true })).problems).to.deep.equal([])
    await node!.idle()
    const folded = await foldLog(log.read(0))
    expect(await node!.viewsDigest()).to.equal(digestViews(folded))
    folded.close()
    await log.close()
  })

  itNeedsFaults('says so while the server is away, in words and over HTTP, and goes on when it is back', async () => {
    server = await ServerUnderTest.start()
    const running = await start()
    await mint(running, 1)
    await serverOf().stop()
    // Whether this is recorded is not known until the server is back; the caller waits to know.
    const asked = codeOf(running.start(MintCoin, { value: 2 }, { clientId: 'coin 2' }))
    await until('it has noticed', () => running.trouble !== undefined)
    const { get, close } = await overHttp(running)
    expect((await get('/health')).body).to.have.nested.property('trouble.code', 'log-unreachable')
    expect((await get('/ready')).status).to.equal(503)
    expect((await get('/status')).body).to.have.nested.property('trouble.code', 'log-unreachable')
    expect(said.join('\n')).to.contain('127.0.0.1')
    expect(await values(running), 'what is known can be asked').to.deep.equal([1])
    await serverOf().resume()
    await asked
    await mint(running, 2)
    await mint(running, 3)
    expect((await get('/ready')).status).to.equal(200)
    await close()
    expect(await values(running)).to.deep.equal([1, 2, 3])
    expect(failures).to.deep.equal([])
  })

  for (const fault of ['cut after', 'cut before', 'unknown error'] as const)
    itNeedsFaults(`loses and doubles nothing when an append meets: ${fault}`, async () => {
      server = await ServerUnderTest.start()
      const running = await start()
      await mint(running, 1)
      serverOf().faults.next(fault)
      await mint(running, 2)
      await mint(running, 3)
      expect(await values(running)).to.deep.equal([1, 2, 3])
      expect(failures).to.deep.equal([])
    })

  itNeedsFaults('goes on with a new leader of the cluster, also when the old one is gone', async () => {
    server = await ServerUnderTest.start(3)
    const running = await start()
    await mint(running, 1)
    server.cluster.leader = 1
    await mint(running, 2)
    await serverOf(1).stop()
    server.cluster.leader = 2
    await mint(running, 3)
    expect(await values(running)).to.deep.equal([1, 2, 3])
    expect(failures).to.deep.equal([])
  })

  itNeedsFaults('says so while it is not let in, and goes on when it is again', async () => {
    server = await ServerUnderTest.start()
    const running = await start()
    await mint(running, 1)
    serverOf().faults.denies = true
    expect(await codeOf(running.drain())).to.equal('log-access-denied')
    expect(running.trouble?.code).to.equal('log-access-denied')
    const { get, close } = await overHttp(running)
    expect((await get('/health')).body).to.have.nested.property('trouble.code', 'log-access-denied')
    expect((await get('/ready')).status).to.equal(503)
    expect(said.join('\n')).to.contain('refuses access')
    serverOf().faults.denies = false
    await mint(running, 2)
    expect((await get('/ready')).status).to.equal(200)
    await close()
    expect(await values(running)).to.deep.equal([1, 2])
    expect(failures).to.deep.equal([])
  })

  itNeedsFaults('says so while nobody lets it look at what the stream keeps, and when it can again', async () => {
    server = await ServerUnderTest.start()
    const log = await server.open({ checkMs: 50 })
    const running = await start(log)
    await mint(running, 1)
    serverOf().faults.deniesMetadata = true
    await until('the node has noticed', () => running.trouble !== undefined)
    expect(running.trouble?.code).to.equal('log-access-denied')
    expect(said.join('\n')).to.contain('cannot be checked').and.to.contain('to read its metadata')
    const { get, close } = await overHttp(running)
    expect((await get('/health')).body).to.have.nested.property('trouble.code', 'log-access-denied')
    expect((await get('/ready')).status).to.equal(503)
    await mint(running, 2)
    expect(running.trouble?.code, 'an append does not make it known').to.equal('log-access-denied')
    expect(
      said.filter((text) => text.includes('cannot be checked')),
      'said once',
    ).to.have.length(1)
    serverOf().faults.deniesMetadata = false
    await until('the node can look again', () => running.trouble === undefined)
    expect((await get('/health')).body).to.not.have.property('trouble')
    expect((await get('/ready')).status).to.equal(200)
    await close()
    expect(failures).to.deep.equal([])
  })

  itNeedsFaults('stops when the log is found to be lost for good while it waits to be let in again', async () => {
    server = await ServerUnderTest.start()
    const running = await start()
    await mint(running, 1)
    serverOf().faults.denies = true
    expect(await codeOf(running.drain())).to.equal('log-access-denied')
    server.cluster.store.tombstone(server.stream)
    serverOf().faults.denies = false
    // Nobody asks it for anything: it looks by itself whether it is let in.
    await until('the node has stopped', () => failures.length > 0)
    expect(failures.map((error) => (error as CarillonError).code)).to.deep.equal(['log-foreign'])
    expect(failures[0]?.message).to.contain(`ends at revision ${running.head.revision}`)
  })

  itNeedsFaults('goes on after the disk of the server was full, and somebody has started it again', async () => {
    server = await ServerUnderTest.start()
    const running = await start()
    await mint(running, 1)
    serverOf().faults.next('disk full')
    const minting = running.run(MintCoin, { value: 2 })
    await until('the server has ended itself', () => !serverOf().isRunning)
    await until('the node says so', () => said.join().includes('no space left'))
    await serverOf().resume()
    await minting
    expect(await values(running)).to.deep.equal([1, 2])
    expect(failures).to.deep.equal([])
  })

  itNeedsFaults('does not start where it is not let in', async () => {
    server = await ServerUnderTest.start()
    serverOf().faults.denies = true
    expect(await codeOf(start())).to.equal('log-access-denied')
  })

  it('does not start where another program keeps its stream', async () => {
    server = await ServerUnderTest.start()
    const placed = jsonEvent({ type: 'order-placed', data: {}, metadata: {} })
    await server.withClient((client) => client.appendToStream(server.stream, placed))
    expect(await codeOf(start())).to.equal('log-foreign')
  })

  it('does not start on what a newer version has written, and leaves it as it is', async () => {
    server = await ServerUnderTest.start()
    await mint(await start(), 1)
    await node!.stop()
    const log = await openLog(server.url())
    const head = await log.head()
    const tick = tickAfter(head, instant('2026-01-01T00:00:00.000Z'), ['{"type":"FromTheFuture"}'], signed)
    expect((await log.append(head, tick)).kind).to.equal('appended')
    expect(await codeOf(start())).to.equal('log-too-new')
    expect(await log.head()).to.deep.equal(headAfter(tick))
    await log.close()
  })

  it('stops and says why when the stream is no longer its own', async () => {
    server = await ServerUnderTest.start()
    const running = await start()
    await mint(running, 1)
    await server.withClient((client) => client.tombstoneStream(server.stream))
    expect(await codeOf(running.start(MintCoin, { value: 2 }))).to.equal('log-foreign')
    expect(failures.map((error) => (error as CarillonError).code)).to.deep.equal(['log-foreign'])
  })
})

describe('Standbys on EventStoreDB', () => {
  const key = keyPairFromSeed('9'.repeat(64))
  const leaseMs = 400
  let folder: string
  let server: ServerUnderTest
  const processes: Standby[] = []

  const start = async (name: string): Promise<Standby> => {
    const standby = await standBy({ app, store: join(folder, name), log: server.url(), leaseMs, key })
    processes.push(standby)
    return standby
  }

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-esdb-'))
    server = await ServerUnderTest.start(3)
  })

  it('take over when the leader is gone, and when it stops in good order', async () => {
    const first = await start('one')
    const leader = await first.leading()
    const second = await start('two')
    await mint(leader, 1)
    expect([first.role, second.role]).to.deep.equal(['leading', 'following'])
    await leader.crash()
    const next = await second.leading()
    await mint(next, 2)
    const third = await start('three')
    await second.stop()
    const last = await third.leading()
    await mint(last, 3)
    expect(await values(last)).to.deep.equal([1, 2, 3])
  })

  it('have one leader when two want to lead at the same moment, round after round', async () => {
    const many = [await start('one'), await start('two'), await start('three')]
    for (let round = 1; round <= 3; round++) {
      const node = await Promise.race(many.map((standby) => standby.leading()))
      await mint(node, round)
      expect(many.filter(({ role }) => role === 'leading')).to.have.length(1)
      if (many.length === 1) break
      const leading = many.findIndex(({ role }) => role === 'leading')
      await many.splice(leading, 1)[0]?.stop()
    }
  })

  itNeedsFaults('follow again when the server was away for longer than their lease', async () => {
    const first = await start('one')
    const leader = await first.leading()
    const second = await start('two')
    await mint(leader, 1)
    for (const each of server.cluster.servers) await each.stop()
    await until('the standby says so', () => second.trouble?.code === 'log-unreachable')
    await new Promise((resolve) => setTimeout(resolve, leaseMs * 3))
    for (const each of server.cluster.servers) await each.resume()
    const leads = (): Node | undefined => [first, second].find(({ role }) => role === 'leading')?.node
    await until('somebody leads and somebody follows', () => leads() !== undefined && second.trouble === undefined)
    await mint(leads() ?? (await second.leading()), 2)
    // Whoever leads now can be replaced: the other one is still there.
    const [leading, other] = first.role === 'leading' ? [first, second] : [second, first]
    await leading.stop()
    const next = await other.leading()
    await mint(next, 3)
    expect(await values(next)).to.deep.equal([1, 2, 3])
  })

  afterEach(async () => {
    for (const standby of processes.splice(0)) await standby.stop()
    await server.close()
    rmSync(folder, { recursive: true })
  })

  itNeedsFaults('follow across lost connections, and one leads when the leader is gone', async () => {
    const first = await start('one')
    const leader = await first.leading()
    const second = await start('two')
    await mint(leader, 1)
    // Every subscription breaks; each goes on from what it has handled.
    for (const each of server.cluster.servers) await each.cut()
    await mint(leader, 2)
    expect([first.role, second.role]).to.deep.equal(['leading', 'following'])
    await leader.crash()
    const next = await second.leading()
    await mint(next, 3)
    expect(await values(next)).to.deep.equal([1, 2, 3])
  })

  itNeedsFaults('go on, each in its role or the other, when the cluster has a new leader', async () => {
    const first = await start('one')
    const second = await start('two')
    await mint(await Promise.race([first.leading(), second.leading()]), 1)
    server.cluster.leader = 2
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
