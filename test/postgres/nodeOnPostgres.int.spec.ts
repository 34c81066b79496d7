import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startNode, type CarillonError, type Node } from '../../src/index.js'
import { openLog, foldLog } from '../../src/entries/logs.js'
import type { NodeOptions } from '../../src/entries/types.js'
import { digestViews } from '../../src/storage/digest.js'
import { Relay } from '../faults/Relay.js'
import { bank as app, Coin, MintCoin } from '../store/bank.js'
import { freePort } from './PostgresServer.js'
import { dropSchema, freshSchema, postgresUrl } from './testDatabase.js'

const refusal = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'fulfilled',
    (error: unknown) => (error as CarillonError).code,
  )

describe('A node whose log is in PostgreSQL', () => {
  let folder: string
  let url: string
  let schema: string
  let log: string
  let node: Node | undefined

  const start = async (options: Partial<NodeOptions> = {}): Promise<Node> => {
    node = await startNode({ app, store: join(folder, 'node'), log, ...options })
    return node
  }
  const values = async (): Promise<readonly number[]> => (await node!.states(Coin)).map(({ data }) => data.value)

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-node-'))
    url = await postgresUrl()
    schema = freshSchema()
    const address = new URL(url)
    address.searchParams.set('schema', schema)
    log = address.href
  })

  afterEach(async () => {
    await node?.crash()
    node = undefined
    await dropSchema(url, schema)
    rmSync(folder, { recursive: true })
  })

  it('goes on where it was after a stop and after a crash, with its views and without them', async () => {
    expect(await (await start()).run(MintCoin, { value: 1 })).to.equal(1)
    await node!.stop()
    expect(await (await start()).run(MintCoin, { value: 2 })).to.equal(2)
    await node!.crash()
    await start()
    expect(await values()).to.deep.equal([1, 2])
    await node!.crash()
    for (const file of ['carillon.db', 'carillon.db-wal', 'carillon.db-shm'])
      rmSync(join(folder, 'node', file), { force: true })
    await start()
    expect(await values()).to.deep.equal([1, 2])
    const kept = await openLog(log)
    const folded = await foldLog(kept.read(0))
    await node!.idle()
    expect(await node!.viewsDigest()).to.equal(digestViews(folded))
    folded.close()
    await kept.close()
  })

  it('is not started on the copy of its log by mistake', async () => {
    await (await start()).stop()
    node = undefined
    expect(await refusal(startNode({ app, store: join(folder, 'node') }))).to.equal('store-foreign')
  })

  it('is not continued by a stranger who knows only the address', async () => {
    await (await start()).stop()
    node = undefined
    expect(await refusal(startNode({ app, store: join(folder, 'other'), log }))).to.equal('store-foreign')
    expect(await refusal(startNode({ app, log }))).to.equal('store-foreign')
  })

  it('does not take an embedded store to an empty log', async () => {
    const embedded = await startNode({ app, store: join(folder, 'node') })
    await embedded.stop()
    expect(await refusal(start())).to.equal('log-diverged')
  })

  it('refuses an address it cannot use, without waiting', async () => {
    expect(await refusal(start({ log: 'mysql://db/app' }))).to.equal('log-address-invalid')
    expect(await refusal(start({ log: log.replace(schema, 'a%20b') }))).to.equal('log-address-invalid')
    const wrong = new URL(log)
    wrong.password = 'wrong'
    expect(await refusal(start({ log: wrong.href }))).to.equal('log-access-denied')
  })

  it('waits for a server that is down at the start, and says so', async () => {
    const port = await freePort()
    const said: string[] = []
    let started = false
    const logger = { info: () => undefined, warn: (text: string) => void said.push(text), error: () => undefined }
    const real = new URL(log)
    const waiting = start({ log: log.replace(real.host, `127.0.0.1:${port}`), logger }).then(() => (started = true))
    while (said.length < 2) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(started).to.equal(false)
    expect(said[0]).to.contain('waits for its log').and.to.contain('ECONNREFUSED').and.to.not.contain('password@')
    const relay = await Relay.listen(Number(real.port), port)
    await waiting
    expect(await node!.run(MintCoin, { value: 1 })).to.equal(1)
    await node!.crash()
    await relay.close()
  })
})
