import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventStoreDBClient } from '@eventstore/db-client'
import { expect } from 'chai'
import { copyLog, openLog, SqliteLog, standBy, startNode, type CarillonError, type Node } from '../../src/index.js'
import { bank as app, MintCoin } from '../store/bank.js'
import { codeOf, mint, until, values } from './mint.js'
import { ServerUnderTest } from './serverUnderTest.js'

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
      expect(failure?.message).to.contain(says).and.to.contain('carillon log copy')
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
})
