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

  it('gives typed errors for whatever SQLite reports', () => {
    const db = openDatabase(':memory:')
    expect(() => db.prepare('SELECT nonsense FROM nowhere'))
      .to.throw('nowhere')
      .with.property('code', 'invariant-broken')
    db.close()
  })
})
