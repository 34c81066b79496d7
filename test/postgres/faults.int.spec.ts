import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startNode, type CarillonError, type Node } from '../../src/index.js'
import { overHttp } from '../faults/overHttp.js'
import { Relay } from '../faults/Relay.js'
import { bank as app, Coin, MintCoin } from '../store/bank.js'
import { dropSchema, freshSchema, postgresUrl, withClient } from './testDatabase.js'

const outcomeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'fulfilled',
    (error: unknown) => (error as CarillonError).code,
  )

describe('A node whose PostgreSQL server misbehaves', () => {
  let folder: string
  let url: string
  let schema: string
  let relay: Relay
  let node: Node
  let failures: Error[]
  let said: string[]

  const values = async (): Promise<readonly number[]> => (await node.states(Coin)).map(({ data }) => data.value)

  const start = (log: string, store = folder): Promise<Node> =>
    startNode({
      app,
      store,
      log,
      onFailure: (error) => void failures.push(error),
      logger: { info: () => undefined, warn: (text) => void said.push(text), error: (text) => void said.push(text) },
    })

  /** How a start on a folder of its own ends. */
  const codeOfStart = async (log: string): Promise<string> => {
    const apart = mkdtempSync(join(tmpdir(), 'carillon-faults-'))
    try {
      return await outcomeOf(start(log, apart))
    } finally {
      rmSync(apart, { recursive: true })
    }
  }

  const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
    const end = performance.now() + 40_000
    while (!(await holds())) {
      if (performance.now() > end) throw new Error(`never came true: ${what}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  /** Asks again and again, under the same client id, as a careful caller does. */
  const mint = async (value: number): Promise<void> => {
    const end = performance.now() + 40_000
    for (;;) {
      const outcome = await outcomeOf(node.run(MintCoin, { value }, { clientId: `coin ${value}` }))
      if (outcome === 'fulfilled') return
      expect(outcome).to.be.oneOf(['log-unreachable', 'disk-full'])
      if (performance.now() > end) throw new Error('the log never came back')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-faults-'))
    url = await postgresUrl()
    schema = freshSchema()
    const real = new URL(url)
    relay = await Relay.listen(Number(real.port === '' ? 5432 : real.port))
    const address = new URL(url)
    address.host = `127.0.0.1:${relay.port}`
    address.searchParams.set('schema', schema)
    failures = []
    said = []
    node = await start(address.href)
    await mint(1)
  })

  afterEach(async () => {
    await node.crash()
    await relay.close()
    await dropSchema(url, schema)
    rmSync(folder, { recursive: true })
  })

  it('says so while the server is away, and goes on when it is back', async () => {
    relay.down()
    // Until the node has noticed, an append might have gone out, and its caller would wait to know.
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(await outcomeOf(node.start(MintCoin, { value: 9 }))).to.equal('log-unreachable')
    expect(node.trouble?.code).to.equal('log-unreachable')
    expect(said.join('\n')).to.contain('cannot be reached').and.to.not.contain('password@')
    expect(await values(), 'what is known can be asked').to.deep.equal([1])
    const { get, close } = await overHttp(node)
    expect((await get('/health')).body).to.have.nested.property('trouble.code', 'log-unreachable')
    expect(await get('/ready'))
      .to.deep.include({ status: 503 })
      .and.have.nested.property('body.code', 'log-unreachable')
    expect((await get('/metrics')).text).to.match(/carillon_trouble\{.*\} 1\n/)
    relay.up()
    await mint(2)
    expect(node.trouble).to.equal(undefined)
    expect((await get('/ready')).status).to.equal(200)
    await close()
    expect(await values()).to.deep.equal([1, 2])
    expect(failures).to.deep.equal([])
  })

  it('finds out what became of an append whose answer was lost', async () => {
    relay.loseAnswers()
    const minting = node.run(MintCoin, { value: 2 })
    await new Promise((resolve) => setTimeout(resolve, 100))
    relay.down()
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(node.trouble?.code).to.equal('log-unreachable')
    relay.up()
    await minting
    await mint(3)
    expect(await values(), 'once').to.deep.equal([1, 2, 3])
    expect(failures).to.deep.equal([])
  })

  it('waits for a slow one', async () => {
    relay.delay(150)
    await mint(2)
    expect(await values()).to.deep.equal([1, 2])
  })

  it('records nothing while the disk there is full, and goes on when there is room', async () => {
    await withClient(url, (client) =>
      client.query(`
        CREATE FUNCTION "${schema}".full() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
        CREATE TRIGGER full_disk BEFORE INSERT ON "${schema}".log_ticks FOR EACH STATEMENT EXECUTE FUNCTION "${schema}".full()`),
    )
    expect(await outcomeOf(node.start(MintCoin, { value: 9 }))).to.equal('disk-full')
    expect(node.trouble?.code).to.equal('disk-full')
    await withClient(url, (client) => client.query(`DROP TRIGGER full_disk ON "${schema}".log_ticks`))
    await mint(2)
    expect(await values()).to.deep.equal([1, 2])
    expect(failures).to.deep.equal([])
  })

  /** Whoever holds a connection to the log loses it, and must be let in again. */
  const cutConnections = (): Promise<unknown> =>
    withClient(url, (client) =>
      client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'carillon % ${schema}'`,
      ),
    )

  it('says so while it is not let in, and goes on when it is again', async () => {
    const role = `role_${schema}`
    await withClient(url, (client) =>
      client.query(
        `CREATE ROLE "${role}" LOGIN PASSWORD 'right'; GRANT USAGE ON SCHEMA "${schema}" TO "${role}"; GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA "${schema}" TO "${role}"`,
      ),
    )
    await node.stop()
    const address = new URL(url)
    address.username = role
    address.password = 'right'
    address.searchParams.set('schema', schema)
    node = await start(address.href)
    await mint(2)
    await withClient(url, (client) => client.query(`ALTER ROLE "${role}" PASSWORD 'another'`))
    await cutConnections()
    // An append that was on its way when the connection was cut is decided only once the node is let in again.
    let asking: Promise<unknown> | undefined
    await until('it is refused', () => {
      asking ??= outcomeOf(node.start(MintCoin, { value: 3 }, { clientId: '3' })).finally(() => (asking = undefined))
      return Promise.resolve(node.trouble?.code === 'log-access-denied')
    })
    expect(said.join('\n')).to.contain('refuses access').and.to.not.contain('right@')
    const { get, close } = await overHttp(node)
    expect((await get('/health')).body).to.have.nested.property('trouble.code', 'log-access-denied')
    expect((await get('/ready')).status).to.equal(503)
    expect(await codeOfStart(address.href), 'at a start it is no use to wait').to.equal('log-access-denied')
    await withClient(url, (client) => client.query(`ALTER ROLE "${role}" PASSWORD 'right'`))
    await until(
      'it is let in',
      async () => (await outcomeOf(node.run(MintCoin, { value: 3 }, { clientId: '3' }))) === 'fulfilled',
    )
    expect((await get('/ready')).status).to.equal(200)
    await close()
    expect(await values()).to.deep.equal([1, 2, 3])
    expect(failures).to.deep.equal([])
    await node.stop()
    await withClient(url, (client) => client.query(`DROP OWNED BY "${role}"; DROP ROLE "${role}"`))
  })

  it('stops, and says why, when a newer version has changed the schema meanwhile, and does not start there', async () => {
    await withClient(url, (client) => client.query(`INSERT INTO "${schema}".carillon_versions VALUES (99)`))
    await cutConnections()
    await until('it has noticed', async () => (await outcomeOf(node.drain())) !== 'fulfilled' && failures.length > 0)
    expect(failures.map((error) => (error as CarillonError).code)).to.deep.equal(['log-too-new'])
    expect(said.join('\n')).to.contain('Run the newer version')
    const address = new URL(url)
    address.searchParams.set('schema', schema)
    expect(await codeOfStart(address.href)).to.equal('log-too-new')
  })

  it('does not start on what another program keeps there', async () => {
    const other = freshSchema()
    await withClient(url, (client) =>
      client.query(`CREATE SCHEMA "${other}"; CREATE TABLE "${other}".log_ticks (other text)`),
    )
    const address = new URL(url)
    address.searchParams.set('schema', other)
    expect(await codeOfStart(address.href)).to.equal('log-foreign')
    await dropSchema(url, other)
  })

  it('stops, and says why, when the log is gone', async () => {
    await dropSchema(url, schema)
    expect(await outcomeOf(node.start(MintCoin, { value: 2 }))).to.equal('log-foreign')
    expect(failures).to.have.length(1)
  })

  it('stops in good time although the log does not answer', async function () {
    relay.loseAnswers()
    const minting = outcomeOf(node.run(MintCoin, { value: 2 }))
    await new Promise((resolve) => setTimeout(resolve, 50))
    relay.down()
    await node.stop()
    expect(await minting).to.not.equal('fulfilled')
  })
})
