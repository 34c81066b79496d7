import { expect } from 'chai'
import type { Database } from '../Database.js'
import { giveBackScratch, takeScratch } from '../sqlite/scratchDatabase.js'
import { UnitOfWork } from '../UnitOfWork.js'
import { ChildTable } from './ChildTable.js'

/** A connection that counts the rows it is asked for. */
const counting = (db: Database, onRead: (rows: number) => void): Database => ({
  ...db,
  prepare: (sql) => {
    const statement = db.prepare(sql)
    return {
      ...statement,
      lists: (...values) => {
        const rows = statement.lists(...values)
        onRead(rows.length)
        return rows
      },
    }
  },
})

describe('Flows that have continued as one another', () => {
  it('are found from each of them with as few rows, however many there are', () => {
    let read = 0
    const db = takeScratch()
    try {
      const table = new ChildTable(
        counting(db, (rows) => {
          read += rows
        }),
        new UnitOfWork(),
      )
      for (let seq = 1; seq < 3_000; seq++) table.continueAs(seq, seq + 1)
      table.continueAs(5_000, 5_001)
      for (const seq of [1, 2, 1_500, 3_000]) {
        read = 0
        expect([table.firstOf(seq), table.lastOf(seq)]).to.deep.equal([1, 3_000])
        expect(read).to.be.at.most(3)
      }
      expect([table.firstOf(5_001), table.lastOf(5_000), table.lastOf(7)]).to.deep.equal([5_000, 5_001, 3_000])
      expect([table.firstOf(9_000), table.lastOf(9_000)]).to.deep.equal([9_000, 9_000])
    } finally {
      giveBackScratch(db)
    }
  })
})
