import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventStoreDBClient } from '@eventstore/db-client'
import { expect } from 'chai'
import { standBy, startNode, type CarillonError, type Node } from '../../src/index.js'
import { copyLog, openLog, SqliteLog } from '../../src/entries/logs.js'
import type { Standby } from '../../src/entries/types.js'
import { keyPairFromSeed } from '../../src/testing/index.js'
import { bank as app, MintCoin } from '../store/bank.js'
import { codeOf, mint, until, values } from './mint.js'
import type { StoredEvent, StreamStore } from './StreamStore.js'
import { itNeedsFaults, ServerUnderTest } from './serverUnderTest.js'

/** What somebody else may do to a stream. */
const acts: readonly {
  readonly name: string
  readonly says: string
  readonly act: (client: EventStoreDBClient, stream: string) => Promise<unknown>
}[] = [
  {
    name: '$maxCount',
    says: 'keeps 2 events only',
    act: (client, stream) => client.setStreamMetadata(stream, { maxCount: 2 }),
  },
  {
    name: '$maxAge',
    says: 'for 1 seconds only',
    act: (client, stream) => client.setStreamMetadata(stream, { maxAge: 1 }),
  },
  {
    name: '$tb',
    says: 'truncated before event 2',
    act: (client, stream) => client.setStreamMetadata(stream, { truncateBefore: 2 }),
  },
  { name: 'soft delete', says: 'was deleted', act: (client, stream) => client.deleteStream(stream) },
  { name: 'tombstone', says: 'deleted for good', act: (client, stream) => client.tombstoneStream(stream) },
]

const key = keyPairFromSeed('7'.repeat(64))

/** A last event that ends another tick than the one that was there. */
const withOtherHash = (event: StoredEvent): StoredEvent => {
  const metadata = JSON.parse(Buffer.from(event.metadata).toString()) as Record<string, unknown>
  return { ...event, metadata: new Uint8Array(Buffer.from(JSON.stringify({ ...metadata, hash: 'f'.repeat(64) }))) }
}

describe('A node whose stream is set to forget while it runs', () => {
  let server: ServerUnderTest
  let folder: string
  let node: Node | undefined
  let failures: Error[]

  const start = async (checkMs: number): Promise<Node> => {
    node = await startNode({
      app,
      store: join(folder, 'node'),
      log: await server.open({ checkMs }),
      onFailure: (error) => void failures.push(error),
    })
    return node
  }

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-forgetting-'))
    failures = []
    server = await ServerUnderTest.start()
  })

  afterEach(async () => {
    await node?.crash()
    node = undefined
    await server.close()
    rmSync(folder, { recursive: true })
  })

  for (const { name, says, act } of acts)
    it(`stops by itself, and says why and what to do: ${name}`, async () => {
      await mint(await start(50), 1)
      await server.withClient((client) => act(client, server.stream))
      await until('the node has stopped', () => failures.length > 0)
      const [failure] = failures
      expect((failure as CarillonError).code).to.equal('log-foreign')
      expect(failure?.message)
        .to.contain(says)
        .and.to.contain('carillon log copy')
        .and.to.contain(`ends at revision ${node!.head.revision}`)
      expect(await codeOf(node!.run(MintCoin, { value: 2 }))).to.equal('log-foreign')
    })

  it('stops with its next append when the check has come first, and starts there no more', async () => {
    const log = await server.open({ checkMs: 50 })
    await server.withClient((client) => client.setStreamMetadata(server.stream, { maxCount: 10 }))
    const told = new Promise<CarillonError>((resolve) => log.onBroken(resolve))
    expect((await told).code).to.equal('log-foreign')
    expect(await codeOf(log.head())).to.equal('log-foreign')
    expect(await codeOf(startNode({ app, store: join(folder, 'other'), log: server.url() }))).to.equal('log-foreign')
  })

  for (const [what, says, change] of [
    ['is wiped', 'its events are gone', (store: StreamStore, stream: string) => store.wipe(stream)],
    [
      'holds another history',
      'is another one than the one that was there',
      (store: StreamStore, stream: string) => store.replaceLast(stream, withOtherHash),
    ],
  ] as const)
    itNeedsFaults(`stops by itself although it has nothing to write, when the stream ${what}`, async () => {
      const running = await start(50)
      await mint(running, 1)
      await running.idle()
      change(server.cluster.store, server.stream)
      await until('the node has stopped', () => failures.length > 0)
      expect((failures[0] as CarillonError).code).to.equal('log-foreign')
      expect(failures[0]?.message).to.contain(says).and.to.contain('carillon log copy')
    })

  it('says where the copy ends, too, when it is started again', async () => {
    const running = await start(60_000)
    await mint(running, 1)
    await running.stop()
    const copy = SqliteLog.openReadOnly(join(folder, 'node', 'carillon.db'))
    const { revision } = await copy.head()
    await copy.close()
    await server.withClient((client) => client.setStreamMetadata(server.stream, { maxCount: 2 }))
    const problem = await startNode({ app, store: join(folder, 'node'), log: server.url() }).catch(
      (error: unknown) => error as CarillonError,
    )
    expect(problem).to.have.property('code', 'log-foreign')
    expect(problem).to.have.nested.property('details.copyRevision', revision)
  })

  it('loses nothing: its own copy goes on in a new stream', async () => {
    const running = await start(50)
    await mint(running, 1)
    await mint(running, 2)
    await server.withClient((client) => client.deleteStream(server.stream))
    await until('the node has stopped', () => failures.length > 0)
    await running.crash()
    const copy = SqliteLog.openReadOnly(join(folder, 'node', 'carillon.db'))
    const moved = server.url(`${server.stream}-moved`)
    const target = await openLog(moved)
    await copyLog(copy, target)
    await target.close()
    await copy.close()
    node = await startNode({ app, store: join(folder, 'node'), log: moved })
    await mint(node, 3)
    expect(await values(node)).to.deep.equal([1, 2, 3])
  })

  it('ends its standbys, too, and they say the same', async () => {
    const standby = await standBy({
      app,
      store: join(folder, 'standby'),
      log: await server.open({ checkMs: 50 }),
      leaseMs: 60_000,
      onFailure: (error) => void failures.push(error),
    })
    await mint(await standby.leading(), 1)
    await server.withClient((client) => client.setStreamMetadata(server.stream, { maxCount: 2 }))
    await until('the process has ended', () => failures.length > 0)
    expect((failures[0] as CarillonError).code).to.equal('log-foreign')
    await standby.stop()
  })

  it('ends a standby that follows, too; each says where its own copy ends', async () => {
    const told = new Map<string, CarillonError>()
    const stand = async (name: string, checkMs: number): Promise<Standby> =>
      standBy({
        app,
        key,
        store: join(folder, name),
        log: await server.open({ checkMs }),
        leaseMs: 60_000,
        onFailure: (error) => void told.set(name, error as CarillonError),
      })
    // The leader looks late: until then it goes on, and what it acknowledges is in its own copy alone.
    const leader = await stand('leader', 2_000)
    const leading = await leader.leading()
    const follower = await stand('follower', 50)
    await mint(leading, 1)
    await until('the standby has followed', () => follower.head.revision === leading.head.revision)
    await server.withClient((client) => client.setStreamMetadata(server.stream, { maxCount: 2 }))
    await until('the standby has ended', () => told.has('follower'))
    await mint(leading, 2)
    const last = leading.head.revision
    await until('the leader has ended', () => told.has('leader'))
    expect(told.get('follower')).to.have.property('code', 'log-foreign')
    expect(told.get('follower')).to.have.nested.property('details.copyRevision').that.is.lessThan(last)
    expect(told.get('leader')).to.have.nested.property('details.copyRevision', last)
    expect(told.get('leader')?.message).to.contain(`ends at revision ${last}`).and.to.contain('whose copy ends last')
    for (const process of [leader, follower]) await process.stop()
  })

  it('keeps a standby from leading, also when its own check is far off', async () => {
    const told: CarillonError[] = []
    const start = async (name: string): Promise<Standby> =>
      standBy({
        app,
        key,
        store: join(folder, name),
        log: await server.open({ checkMs: 60_000 }),
        leaseMs: 60_000,
        onFailure: (error) => void told.push(error as CarillonError),
      })
    const [first, second] = [await start('one'), await start('two')]
    const leading = await Promise.race([first.leading(), second.leading()])
    await mint(leading, 1)
    // Nothing is gone yet, and will be.
    await server.withClient((client) => client.setStreamMetadata(server.stream, { maxCount: 1_000 }))
    await (first.role === 'leading' ? first : second).stop()
    await until('the other has ended', () => told.length > 0)
    expect(told[0]).to.have.property('code', 'log-foreign')
    expect([first.role, second.role]).to.deep.equal(['following', 'following'])
    for (const process of [first, second]) await process.stop()
  })
})
