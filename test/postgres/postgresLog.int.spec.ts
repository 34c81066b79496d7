import { expect } from 'chai'
import { emptyHead, headAfter } from '../../src/log/Tick.js'
import { PostgresLog } from '../../src/logs/postgres/PostgresLog.js'
import { ticksAfter } from '../log/conformance.js'
import { freePort } from './PostgresServer.js'
import { dropSchema, freshSchema, postgresUrl, withClient } from './testDatabase.js'

const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'fulfilled',
    (error: unknown) => (error as { readonly code: string }).code,
  )

describe('A log in PostgreSQL', () => {
  let url: string
  let schema: string
  const open: PostgresLog[] = []

  const openLog = async (at = url): Promise<PostgresLog> => {
    const log = await PostgresLog.open({ url: at, schema })
    open.push(log)
    return log
  }

  /** The address of the same database, for a connection with settings of its own. */
  const withSettings = (options: string): string => {
    const address = new URL(url)
    address.searchParams.set('options', options)
    // The driver reads percents, not the plus signs of forms.
    return address.href.replaceAll('+', '%20')
  }

  beforeEach(async () => {
    url = await postgresUrl()
    schema = freshSchema()
  })

  afterEach(async () => {
    for (const log of open.splice(0)) await log.close()
    await dropSchema(url, schema)
  })

  it('lets nobody change, delete or empty what it holds', async () => {
    const log = await openLog()
    const [tick] = ticksAfter(emptyHead, [1])
    await log.append(emptyHead, tick!)
    for (const wish of [
      `DELETE FROM "${schema}".log_ticks`,
      `UPDATE "${schema}".log_ticks SET hash = hash`,
      `TRUNCATE "${schema}".log_ticks`,
    ])
      expect(await withClient(url, (client) => client.query(wish).catch(String)), wish).to.contain('append-only')
    expect(await log.head()).to.deep.equal(headAfter(tick!))
  })

  it('says so when its end vanishes while it is read', async () => {
    const log = await openLog()
    const large = ticksAfter(emptyHead, [1, 1, 1, 1], 'x'.repeat(3_000_000))
    for (const [index, tick] of large.entries())
      await log.append(index === 0 ? emptyHead : headAfter(large[index - 1]!), tick)
    const ticks = log.read(0)
    await ticks.next()
    // As after a failover to a replica that lags.
    const table = `"${schema}".log_ticks`
    await withClient(url, (client) =>
      client.query(
        `ALTER TABLE ${table} DISABLE TRIGGER ALL; DELETE FROM ${table} WHERE tick > 2; ALTER TABLE ${table} ENABLE TRIGGER ALL`,
      ),
    )
    const rest = async (): Promise<void> => {
      while ((await ticks.next()).done !== true);
    }
    expect(await codeOf(rest())).to.equal('log-foreign')
  })

  it('is made once when several nodes start at the same time', async () => {
    await Promise.all(Array.from({ length: 5 }, () => openLog()))
    expect(await open[0]!.head()).to.deep.equal(emptyHead)
  })

  for (const isolation of ['repeatable read', 'serializable'])
    it(`takes one of two ticks where the database is set to ${isolation}`, async () => {
      const at = withSettings(`-c default_transaction_isolation=${isolation.replace(' ', '\\ ')}`)
      const writers = [await openLog(at), await openLog(at)]
      let head = emptyHead
      for (let round = 0; round < 20; round++) {
        const rivals = writers.map((_, writer) => ticksAfter(head, [1], `writer ${writer}`)[0]!)
        const outcomes = await Promise.all(writers.map((log, writer) => log.append(head, rivals[writer]!)))
        expect(outcomes.map(({ kind }) => kind).sort()).to.deep.equal(['appended', 'refused'])
        head = headAfter(rivals[outcomes.findIndex(({ kind }) => kind === 'appended')]!)
      }
    })

  it('answers only what is on disk, even where the database is set to answer before', async () => {
    const log = await openLog(withSettings('-c synchronous_commit=off -c statement_timeout=500'))
    await withClient(url, (client) =>
      client.query(`
        CREATE TABLE "${schema}".seen (setting text);
        CREATE FUNCTION "${schema}".look() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          INSERT INTO "${schema}".seen SELECT current_setting('synchronous_commit') || current_setting('statement_timeout');
          RETURN NULL;
        END $$;
        CREATE TRIGGER look AFTER INSERT ON "${schema}".log_ticks FOR EACH STATEMENT EXECUTE FUNCTION "${schema}".look()`),
    )
    const [tick] = ticksAfter(emptyHead, [1])
    expect(await log.append(emptyHead, tick!)).to.deep.equal({ kind: 'appended' })
    const { rows } = await withClient(url, (client) => client.query(`SELECT setting FROM "${schema}".seen`))
    expect(rows).to.deep.equal([{ setting: 'on0' }])
  })

  it('needs no more than an ordinary role with a schema of its own', async () => {
    const role = `${schema}_role`
    await withClient(url, async (client) => {
      await client.query(`CREATE ROLE "${role}" LOGIN PASSWORD 'pw'`)
      await client.query(`CREATE SCHEMA "${schema}" AUTHORIZATION "${role}"`)
    })
    const address = new URL(url)
    address.username = role
    address.password = 'pw'
    const log = await openLog(address.href)
    const [tick] = ticksAfter(emptyHead, [3])
    expect(await log.append(emptyHead, tick!)).to.deep.equal({ kind: 'appended' })
    await log.close()
    await dropSchema(url, schema)
    expect(await codeOf(PostgresLog.open({ url: address.href, schema })), 'no schema').to.equal('log-access-denied')
    await withClient(url, (client) => client.query(`DROP ROLE "${role}"`))
  })

  it('keeps its bytes in a database of another encoding', async () => {
    const name = `${schema}_latin`
    await withClient(url, (client) =>
      client.query(`CREATE DATABASE "${name}" ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`),
    )
    const address = new URL(url)
    address.pathname = `/${name}`
    const log = await openLog(address.href)
    const [tick] = ticksAfter(emptyHead, [2], 'ünïcödé 🕰️')
    expect(await log.append(emptyHead, tick!)).to.deep.equal({ kind: 'appended' })
    for await (const found of log.read(0)) expect(found).to.deep.equal(tick)
    await log.close()
    await withClient(url, (client) => client.query(`DROP DATABASE "${name}"`))
  })

  it('says what is wrong: a schema of a newer version, one of another program, a wrong password, no server', async () => {
    await openLog()
    await withClient(url, (client) => client.query(`INSERT INTO "${schema}".carillon_versions VALUES (99)`))
    expect(await codeOf(PostgresLog.open({ url, schema }))).to.equal('log-too-new')
    await dropSchema(url, schema)
    await withClient(url, async (client) => {
      await client.query(`CREATE SCHEMA "${schema}"`)
      await client.query(`CREATE TABLE "${schema}".log_ticks (other text)`)
    })
    expect(await codeOf(PostgresLog.open({ url, schema }))).to.equal('log-foreign')
    const address = new URL(url)
    address.password = 'wrong'
    expect(await codeOf(PostgresLog.open({ url: address.href, schema }))).to.equal('log-access-denied')
    const nowhere = `postgres://postgres@127.0.0.1:${await freePort()}/postgres`
    expect(await codeOf(PostgresLog.open({ url: nowhere, schema }))).to.equal('log-unreachable')
  })

  it('goes to the host that takes writes, when several are named', async () => {
    const address = new URL(url)
    const dead = `127.0.0.1:${await freePort()}`
    const log = await openLog(url.replace(address.host, `${dead},${address.host}`))
    expect(await log.head()).to.deep.equal(emptyHead)
    expect(log.where).to.contain(dead).and.to.not.contain(address.password)
  })
})
