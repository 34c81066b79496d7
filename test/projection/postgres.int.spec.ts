/** Projections into tables of PostgreSQL: each event once, whatever is lost on the way. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { VirtualNode } from 'carillon/testing'
import { instant, type CarillonError, type Node } from 'carillon'
import { producedStates, type PublicEvent } from 'carillon/events'
import {
  definePostgresProjection,
  type ProjectionCheckpoint,
  type ProjectionSql,
  type ProjectionTarget,
} from 'carillon/projections'
import { HashC } from '../../src/encoding/hash.js'
import { cutConnections, dropSchema, freshSchema, postgresUrl, withClient } from '../postgres/testDatabase.js'
import { Order, PlaceOrder, shop } from '../subscription/orders.js'

const tables = ['CREATE TABLE totals (article text PRIMARY KEY, pieces integer NOT NULL)']

const at = (revision: number): ProjectionCheckpoint => {
  const hash = `${revision}`.repeat(64)
  return HashC.is(hash) ? { revision, hash } : expect.fail('not a hash')
}
const inLog = (): Promise<boolean> => Promise.resolve(true)

describe('A projection into PostgreSQL', () => {
  let url = ''
  let schema = ''
  before(async () => {
    url = await postgresUrl()
  })
  beforeEach(() => {
    schema = freshSchema()
  })
  afterEach(async () => {
    await dropSchema(url, schema)
    for (const version of [2, 3]) await dropSchema(url, `${schema}_v${version}`)
  })

  const totals = (version = 1, factor = 1) =>
    definePostgresProjection({
      name: 'shop/Totals',
      version,
      url,
      schema,
      types: ['TransactionRecorded'],
      tables,
      evolve: async (sql, event) => {
        for (const { data } of producedStates(event, Order)) {
          if (data.article === 'cursed') throw new Error('not this one')
          await sql(
            'INSERT INTO totals VALUES ($1, $2) ON CONFLICT (article) DO UPDATE SET pieces = totals.pieces + $2',
            [data.article, data.pieces * factor],
          )
        }
      },
    })

  const rows = (): Promise<readonly unknown[]> =>
    withClient(url, async (client) => {
      const { rows: found } = await client.query(`SELECT article, pieces FROM "${schema}".totals ORDER BY article`)
      return found as readonly unknown[]
    })

  const order = (node: Node, article: string, pieces: number): Promise<unknown> =>
    node.run(PlaceOrder, { article, pieces })

  const caughtUp = (node: Node, projection: ReturnType<typeof totals>): Promise<unknown> =>
    node.projection(projection).readAt(node.head.revision)

  const stopped = async (node: Node): Promise<string | undefined> => {
    while (node.projections[0]?.state !== 'stopped') await turn()
    return node.projections[0].error?.code
  }

  it('counts each event once, over restarts, crashes and lost connections', async () => {
    const Totals = totals()
    const virtual = await VirtualNode.start({ app: shop(Totals) })
    for (let round = 1; round <= 6; round++) {
      await order(virtual.node, 'bell', 1)
      if (round === 2) await cutConnections(url, schema)
      if (round === 4) {
        await virtual.crash()
        await virtual.restart()
      }
      await caughtUp(virtual.node, Totals)
      expect(await rows()).to.deep.equal([{ article: 'bell', pieces: round }])
    }
    await virtual.stop()
  })

  it('of a higher version is built beside the old one and takes its place when it has caught up', async () => {
    const First = totals()
    const virtual = await VirtualNode.start({ app: shop(First) })
    await order(virtual.node, 'bell', 2)
    await caughtUp(virtual.node, First)
    await virtual.stop()
    const Second = totals(2, 10)
    await virtual.restart({ app: shop(Second) })
    await caughtUp(virtual.node, Second)
    expect(await rows()).to.deep.equal([{ article: 'bell', pieces: 20 }])
    await virtual.stop()
    await virtual.restart({ app: shop(First) })
    expect(await stopped(virtual.node)).to.equal('projection-outdated')
    await virtual.stop()
  })

  it('that two processes run counts nothing twice: one of them is fenced', async () => {
    const Totals = totals()
    const first = await VirtualNode.start({ app: shop(Totals) })
    await order(first.node, 'bell', 1)
    await caughtUp(first.node, Totals)
    // Another process has taken in what comes next.
    await withClient(url, (client) => client.query(`UPDATE "${schema}".carillon_checkpoint SET hash = repeat('f', 64)`))
    await order(first.node, 'bell', 1)
    expect(await stopped(first.node)).to.equal('projection-fenced')
    expect(await rows()).to.deep.equal([{ article: 'bell', pieces: 1 }])
    await first.stop()
  })

  describe('one batch at a time', () => {
    const codeOf = (error: unknown): string => (error as CarillonError).code
    const seen = (): Promise<readonly unknown[]> =>
      withClient(url, async (client) => {
        const { rows: found } = await client.query(`SELECT flow FROM "${schema}".seen ORDER BY flow`)
        return found.map((row: { flow: string }) => row.flow)
      })
    const by = (flow: string): PublicEvent => ({
      ...{ revision: 1, tick: 1, at: instant('2030-01-01T00:00:00.000Z'), hash: at(1).hash },
      ...{ type: 'FlowProgressed', flow, progress: 'on its way' },
    })
    /** Writes which flow it was into a table that it names with its schema, and calls `then` after it. */
    const target = (then: (sql: ProjectionSql, flow: string) => Promise<unknown> = () => Promise.resolve()) =>
      definePostgresProjection({
        name: 'shop/Seen',
        url,
        schema,
        types: ['FlowProgressed'],
        tables: ['CREATE TABLE seen (flow text UNIQUE)'],
        evolve: async (sql, event) => {
          await sql(`INSERT INTO "${schema}".seen VALUES ($1)`, [event.flow])
          await then(sql, event.flow)
        },
      }).openTarget()

    it('takes nothing from a process that has gone, however late it comes', async () => {
      let go = (): void => undefined
      let begin = (): void => undefined
      const hold = new Promise<void>((resolve) => (go = resolve))
      const held = new Promise<void>((resolve) => (begin = resolve))
      const gone = target(() => (begin(), hold))
      await gone.open(inLog)
      const late = gone.apply([by('slow')], at(1), undefined)
      await held
      const next = target()
      const opened = next.open(inLog)
      go()
      expect(await late, 'what was under way is let end').to.equal(true)
      expect(await opened).to.deep.equal(at(1))
      expect(await gone.apply([by('late')], at(2), at(1))).to.equal(false)
      expect(await next.apply([by('next')], at(3), at(1))).to.equal(true)
      expect(await next.apply([by('next')], at(3), at(1)), 'asked again').to.equal(true)
      expect(await seen()).to.deep.equal(['next', 'slow'])
      await gone.close()
      await next.close()
    })

    it('is one transaction, also when the connection is lost in the middle', async () => {
      let cuts = 1
      const cut = target(async () => {
        if (cuts-- > 0) await cutConnections(url, schema)
      })
      await cut.open(inLog)
      const events = [by('first'), by('second')]
      expect(await cut.apply(events, at(1), undefined).catch(codeOf)).to.equal('projection-store-away')
      expect(await seen()).to.deep.equal([])
      expect(await cut.apply(events, at(1), undefined)).to.equal(true)
      expect(await seen()).to.deep.equal(['first', 'second'])
      await cut.close()
    })

    it('is refused when a statement was, though nobody looked', async () => {
      const careless = target((sql, flow) => {
        void sql(`INSERT INTO "${schema}".seen VALUES ($1)`, [flow])
        return Promise.resolve()
      })
      await careless.open(inLog)
      expect(await careless.apply([by('first')], at(1), undefined).catch(codeOf)).to.equal('projection-threw')
      expect(await seen()).to.deep.equal([])
      await careless.close()
    })

    it('is not taken over by the node of another log', async () => {
      const owner = target()
      await owner.open(inLog)
      expect(await owner.apply([by('first')], at(1), undefined)).to.equal(true)
      const stranger = target()
      expect(await stranger.open(() => Promise.resolve(false))).to.deep.equal(at(1))
      expect(await owner.apply([by('second')], at(2), at(1))).to.equal(true)
      await owner.close()
      await stranger.close()
    })
  })

  describe('that two processes build anew at once', () => {
    const fenced = async (work: Promise<unknown>): Promise<string> =>
      work.then(
        () => 'none',
        (error: unknown) => (error as CarillonError).code,
      )

    const targets: ProjectionTarget[] = []
    const opened = async (version: number): Promise<ProjectionTarget> => {
      const target = totals(version).openTarget()
      targets.push(target)
      await target.open(inLog)
      return target
    }
    afterEach(async () => {
      for (const target of targets.splice(0)) await target.close()
    })

    it('takes the place of the old one by the process that owns it', async () => {
      await opened(1)
      const [first, second] = [await opened(2), await opened(2)]
      expect(await fenced(first.caughtUp())).to.equal('projection-fenced')
      await second.caughtUp()
      expect(await second.apply([], at(1), undefined)).to.equal(true)
      expect(await first.apply([], at(1), undefined)).to.equal(false)
    })

    it('does not take the place of a newer one', async () => {
      await opened(1)
      const [second, third] = [await opened(2), await opened(3)]
      await third.caughtUp()
      expect(await fenced(second.caughtUp())).to.equal('projection-outdated')
    })
  })

  it('whose code throws, or whose statement is refused, leaves nothing of that event behind', async () => {
    const Totals = totals()
    const virtual = await VirtualNode.start({ app: shop(Totals) })
    await order(virtual.node, 'bell', 1)
    await caughtUp(virtual.node, Totals)
    await order(virtual.node, 'cursed', 1)
    expect(await stopped(virtual.node)).to.equal('projection-threw')
    expect(virtual.node.projections[0]?.error?.message).to.contain('not this one')
    expect(await rows()).to.deep.equal([{ article: 'bell', pieces: 1 }])
    await virtual.stop()
  })

  it('does not touch a schema that something else has made', async () => {
    await withClient(url, (client) => client.query(`CREATE SCHEMA "${schema}"`))
    const virtual = await VirtualNode.start({ app: shop(totals()) })
    expect(await stopped(virtual.node)).to.equal('projection-outdated')
    await virtual.stop()
  })

  it('does not touch the tables of another projection', async () => {
    const Totals = totals()
    const virtual = await VirtualNode.start({ app: shop(Totals) })
    await order(virtual.node, 'bell', 1)
    await caughtUp(virtual.node, Totals)
    const Other = definePostgresProjection({
      ...{ name: 'shop/Other', url, schema, types: ['TransactionRecorded'], tables },
      evolve: async (sql) => {
        await sql('DELETE FROM totals')
      },
    })
    await virtual.stop()
    await virtual.restart({ app: shop(Other) })
    expect(await stopped(virtual.node)).to.equal('projection-outdated')
    expect(virtual.node.projections[0]?.error?.message).to.match(/shop\/Totals/)
    await order(virtual.node, 'bell', 1)
    await virtual.stop()
    await virtual.restart({ app: shop(Totals) })
    await caughtUp(virtual.node, Totals)
    expect(await rows()).to.deep.equal([{ article: 'bell', pieces: 2 }])
    await virtual.stop()
  })

  it('whose tables cannot be made stops, and says why', async () => {
    const Wrong = definePostgresProjection({
      ...{ name: 'shop/Wrong', url, schema, tables: ['CREATE TABEL totals (article text)'] },
      evolve: () => Promise.resolve(),
    })
    const virtual = await VirtualNode.start({ app: shop(Wrong) })
    expect(await stopped(virtual.node)).to.equal('projection-threw')
    expect(virtual.node.projections[0]?.error?.message).to.match(/tables of projection shop\/Wrong.*TABEL/)
    await virtual.stop()
  })

  for (const text of [
    'COMMIT',
    ' commit ; ',
    'ROLLBACK',
    '-- done\nEND',
    'BEGIN',
    '/* */ABORT',
    "INSERT INTO totals VALUES ('clapper', 1); COMMIT",
  ])
    it(`that would end the transaction of its batch stops: ${JSON.stringify(text)}`, async () => {
      const Ending = definePostgresProjection({
        ...{ name: 'shop/Totals', url, schema, types: ['TransactionRecorded'], tables },
        evolve: async (sql) => {
          await sql("INSERT INTO totals VALUES ('bell', 1)")
          await sql(text)
        },
      })
      const virtual = await VirtualNode.start({ app: shop(Ending) })
      await order(virtual.node, 'bell', 1)
      expect(await stopped(virtual.node)).to.equal('projection-threw')
      expect(await rows()).to.deep.equal([])
      await virtual.stop()
    })

  it('waits for a server that is away, and the node goes on', async () => {
    const Away = definePostgresProjection({
      name: 'shop/Away',
      url: 'postgres://nobody@127.0.0.1:1/nothing',
      tables: [],
      evolve: () => Promise.resolve(),
    })
    const virtual = await VirtualNode.start({ app: shop(Away) })
    await order(virtual.node, 'bell', 1)
    while (virtual.node.projections[0]?.state !== 'waiting for its store') await turn()
    expect(virtual.node.projections[0].error?.code).to.equal('projection-store-away')
    await virtual.stop()
  })
})
