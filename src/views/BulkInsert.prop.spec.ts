import { expect } from 'chai'
import * as fc from 'fast-check'
import { openDatabase } from '../sqlite/openDatabase.js'
import { BulkInsert } from './BulkInsert.js'

describe('rows inserted in bulk', () => {
  it('are all there, in their order, however many there are', () => {
    const db = openDatabase(':memory:')
    db.exec('CREATE TABLE things (seq INTEGER PRIMARY KEY, name TEXT, size INTEGER) STRICT')
    const insert = new BulkInsert(db, 'things', ['seq', 'name', 'size'])
    fc.assert(
      fc.property(fc.array(fc.array(fc.option(fc.string())), { maxLength: 100 }), (portions) => {
        db.exec('DELETE FROM things')
        const added: { readonly seq: number; readonly name: string | null; readonly size: number }[] = []
        for (const portion of portions) {
          for (const name of portion) {
            added.push({ seq: added.length, name, size: added.length % 7 })
            insert.add(added.length - 1, name, (added.length - 1) % 7)
          }
          insert.flush()
        }
        expect(db.prepare('SELECT seq, name, size FROM things ORDER BY rowid').all()).to.deep.equal(added)
        expect(db.prepare('SELECT seq, name, size FROM things ORDER BY seq').lists()).to.deep.equal(
          added.map(({ seq, name, size }) => [seq, name, size]),
        )
      }),
    )
    db.close()
  })

  it('leave out rare columns where a row has nothing in them, and lose nothing where it has', () => {
    const db = openDatabase(':memory:')
    db.exec('CREATE TABLE things (seq INTEGER PRIMARY KEY, name TEXT, note TEXT, size INTEGER) STRICT')
    const insert = new BulkInsert(db, 'things', ['seq', 'name'], ['size', 'note'])
    const rows = fc.array(fc.tuple(fc.option(fc.string()), fc.option(fc.nat()), fc.option(fc.string())))
    fc.assert(
      fc.property(rows, (things) => {
        db.exec('DELETE FROM things')
        things.forEach(([name, size, note], seq) => insert.add(seq, name, size, note))
        insert.flush()
        expect(db.prepare('SELECT seq, name, size, note FROM things ORDER BY seq').lists()).to.deep.equal(
          things.map((thing, seq) => [seq, ...thing]),
        )
      }),
    )
    insert.add(1_000, 'common', null, null)
    insert.add(1_001, 'rare', 1, null)
    insert.clear()
    insert.flush()
    expect(db.prepare('SELECT seq FROM things WHERE seq >= 1000').all()).to.deep.equal([])
    db.close()
  })

  it('are forgotten when the tick is rolled back before they were stored', () => {
    const db = openDatabase(':memory:')
    db.exec('CREATE TABLE things (seq INTEGER PRIMARY KEY) STRICT')
    const insert = new BulkInsert(db, 'things', ['seq'])
    insert.add(1)
    insert.clear()
    insert.add(2)
    insert.flush()
    expect(db.prepare('SELECT seq FROM things').all()).to.deep.equal([{ seq: 2 }])
    db.close()
  })
})
