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
            insert.next().push(added.length - 1, name, (added.length - 1) % 7)
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

  it('go as soon as there is a group of them, and never become one long list', () => {
    const db = openDatabase(':memory:')
    db.exec('CREATE TABLE things (seq INTEGER PRIMARY KEY) STRICT')
    const insert = new BulkInsert(db, 'things', ['seq'])
    for (let seq = 0; seq < 1_000; seq++) {
      const values = insert.next()
      expect(values.length).to.be.lessThan(32)
      values.push(seq)
    }
    insert.flush()
    expect(db.prepare('SELECT count(*) AS things FROM things').get()).to.deep.equal({ things: 1_000 })
    db.close()
  })

  it('are forgotten when the tick is rolled back before they were stored', () => {
    const db = openDatabase(':memory:')
    db.exec('CREATE TABLE things (seq INTEGER PRIMARY KEY) STRICT')
    const insert = new BulkInsert(db, 'things', ['seq'])
    insert.next().push(1)
    insert.clear()
    insert.next().push(2)
    insert.flush()
    expect(db.prepare('SELECT seq FROM things').all()).to.deep.equal([{ seq: 2 }])
    db.close()
  })
})
