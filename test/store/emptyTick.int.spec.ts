/** A tick that states nothing: what any member can make a node go through, again and again, by a message that came before. */
import { expect } from 'chai'
import { EmbeddedStore } from '../../src/entries/logs.js'
import type { Database, Statement } from '../../src/storage/Database.js'
import { takeScratchStore } from '../../src/storage/sqlite/scratchDatabase.js'
import { VirtualNode } from '../../src/testing/index.js'
import { bank, MintCoin } from './bank.js'

/** The same connection, which says what it is asked. */
const watched = (db: Database, onRead: (sql: string) => void): Database => ({
  ...db,
  prepare: (sql) => {
    const statement = db.prepare(sql)
    const told =
      <A extends readonly unknown[], R>(ask: (...values: A) => R) =>
      (...values: A): R => {
        onRead(sql)
        return ask(...values)
      }
    return {
      ...statement,
      get: told(statement.get),
      all: told(statement.all),
      lists: told(statement.lists),
    } satisfies Statement
  },
})

describe('A tick that states nothing', () => {
  it('is ended without reading the views again', async () => {
    const reads: string[] = []
    const store = EmbeddedStore.inMemory({ database: watched(takeScratchStore(), (sql) => reads.push(sql)) })
    const virtual = await VirtualNode.start({ app: bank, store })
    await virtual.node.run(MintCoin, { value: 1 })
    await virtual.node.idle()
    reads.length = 0
    store.begin()
    store.rollback()
    expect(reads).to.deep.equal([])
    const before = await virtual.node.viewsDigest()
    await virtual.node.run(MintCoin, { value: 2 })
    expect(await virtual.node.viewsDigest()).not.to.equal(before)
    await virtual.stop()
  })

  it('keeps no more rows in memory than any other', async () => {
    const store = EmbeddedStore.inMemory({ limits: { rowsKept: 4 } })
    const virtual = await VirtualNode.start({ app: bank, store })
    for (let value = 1; value <= 20; value++) await virtual.node.run(MintCoin, { value })
    await virtual.node.idle()
    const ended = (await virtual.node.flows({ limit: 20 })).items
    expect(ended).to.have.lengthOf(20)
    const before = store.views.evictions
    for (const { id } of ended) {
      store.begin()
      store.views.flows.find(id)
      store.rollback()
    }
    expect(store.views.evictions).to.be.greaterThan(before)
    await virtual.stop()
  })
})
