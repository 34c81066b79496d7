/** Projections into tables of PostgreSQL: each event once, whatever is lost on the way. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { VirtualNode } from 'carillon/testing'
import type { Node } from 'carillon'
import { producedStates } from 'carillon/events'
import { definePostgresProjection } from 'carillon/projections'
import { cutConnections, dropSchema, freshSchema, postgresUrl, withClient } from '../postgres/testDatabase.js'
import { Order, PlaceOrder, shop } from '../subscription/orders.js'

const tables = ['CREATE TABLE totals (article text PRIMARY KEY, pieces integer NOT NULL)']

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
    await dropSchema(url, `${schema}_v2`)
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
