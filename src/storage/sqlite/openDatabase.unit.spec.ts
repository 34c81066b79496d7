import { expect } from 'chai'
import { firstLoadable, openDatabase } from './openDatabase.js'

type Candidate = Parameters<typeof firstLoadable>[0][number]

const absent =
  (why: string): Candidate =>
  () => {
    throw new Error(`${why}\nRequire stack:\n- somewhere`)
  }

describe('the SQLite driver', () => {
  it('is the first that can be loaded', () => {
    const driver = { name: 'second', takesList: false, open: () => openDatabase(':memory:') as never }
    expect(firstLoadable([absent('no first'), () => driver, absent('never asked')]).name).to.equal('second')
  })

  it('is missing with an error that says what to install and why each candidate failed', () => {
    expect(() =>
      firstLoadable([absent('No such built-in module: node:sqlite'), absent("Cannot find module 'better-sqlite3'")]),
    )
      .to.throw(
        /No SQLite driver.*npm install better-sqlite3.*\(No such built-in module: node:sqlite; Cannot find module 'better-sqlite3'\)$/,
      )
      .with.property('code', 'sqlite-missing')
  })

  it('compiles a statement with a limit once, and not each time it is run', () => {
    const db = openDatabase(':memory:')
    db.exec('CREATE TABLE a (seq INTEGER PRIMARY KEY, b INTEGER, c TEXT, d TEXT); CREATE INDEX i ON a (b, c, d)')
    for (let seq = 0; seq < 5; seq++) db.prepare('INSERT INTO a VALUES (?, ?, ?, ?)').run(seq, seq, 'c', 'd')
    const join =
      'SELECT x.* FROM a x JOIN a y ON y.seq = x.seq JOIN a z ON z.seq = y.seq WHERE x.b < ? ORDER BY x.b LIMIT'
    const bound = db.prepare(`${join} ?`)
    const fixed = db.prepare(`${join} 2`)
    expect(bound.all(4, 2)).to.deep.equal(fixed.all(4)).and.to.have.length(2)
    expect(bound.all(4, 3)).to.have.length(3)
    const quickest = (run: () => void): number =>
      Math.min(
        ...Array.from({ length: 30 }, () => {
          const began = performance.now()
          for (let times = 0; times < 20; times++) run()
          return performance.now() - began
        }),
      )
    // Compiling takes ten times as long as running does here.
    expect(quickest(() => bound.all(0, 2)) / quickest(() => fixed.all(0))).to.be.lessThan(5)
    db.close()
  })

  it('gives typed errors for whatever SQLite reports', () => {
    const db = openDatabase(':memory:')
    expect(() => db.prepare('SELEKT nonsense'))
      .to.throw('SELEKT')
      .with.property('code', 'invariant-broken')
    // Statements are Carillon's own, so a table that is not there was there before.
    expect(() => db.prepare('SELECT nonsense FROM nowhere'))
      .to.throw('nowhere')
      .with.property('code', 'store-corrupt')
    db.close()
  })
})
