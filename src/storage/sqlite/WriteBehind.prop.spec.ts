import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import fc from 'fast-check'
import { openDatabase } from './openDatabase.js'
import { openWritable } from './openWritable.js'
import { CommitThread } from './CommitThread.js'
import { WriteBehind, type PendingWrite } from './WriteBehind.js'

const keys = fc.integer({ min: 1, max: 4 })
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('set' as const), key: keys, value: fc.string() }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('remove', 'read'), key: keys }) },
    { weight: 8, arbitrary: fc.record({ kind: fc.constantFrom('begin', 'commit', 'handOver', 'land') }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('rollback', 'readAll') }) },
  ),
  { maxLength: 40 },
)

const always = { sql: 'SELECT 1', expected: 1, after: 1 }
const never = { sql: 'SELECT 1', expected: 2, after: 3 }

describe('a connection that writes behind', () => {
  let folder = ''
  let file = ''
  let db: WriteBehind
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-behind-'))
    file = join(folder, 'store.db')
    const local = openWritable(file)
    local.exec('CREATE TABLE things (key INTEGER PRIMARY KEY, value TEXT NOT NULL) STRICT')
    db = new WriteBehind(local, new CommitThread(file), file)
    db.begin()
    // Without end only if the thread never comes, which the time every test has ends.
    while (!db.canHandOver()) await pause(1)
    db.rollback()
  })
  afterEach(async () => {
    await db.stopThread()
    db.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('shows every read what was written before it, whoever carries it out and when', () => {
    fc.assert(
      fc.property(steps, (walk) => {
        const set = db.prepare('INSERT OR REPLACE INTO things (key, value) VALUES (?, ?)')
        const remove = db.prepare('DELETE FROM things WHERE key = ?')
        const get = db.prepare('SELECT value FROM things WHERE key = ?')
        const all = db.prepare('SELECT key, value FROM things ORDER BY key')
        db.exec('DELETE FROM things')
        let stands = new Map<number, string>()
        let now = new Map<number, string>()
        let isInside = false
        let commit: PendingWrite | undefined
        const land = (): void => {
          if (commit !== undefined) expect(commit.outcome().kind).to.equal('committed')
          commit = undefined
        }
        const whole = (): unknown => all.all().map(({ key, value }) => [key, value])
        const ordered = (things: ReadonlyMap<number, string>): unknown => [...things].sort(([a], [b]) => a - b)
        for (const step of walk) {
          switch (step.kind) {
            case 'begin':
              if (!isInside) db.begin()
              isInside = true
              break
            case 'set':
              if (!isInside) break
              set.run(step.key, step.value)
              now.set(step.key, step.value)
              break
            case 'remove':
              if (!isInside) break
              remove.run(step.key)
              now.delete(step.key)
              break
            case 'read':
              expect(get.get(step.key)?.['value']).to.equal(now.get(step.key))
              break
            case 'readAll':
              expect(whole()).to.deep.equal(ordered(now))
              break
            case 'commit':
            case 'handOver':
              if (!isInside) break
              land()
              if (step.kind === 'commit' || !db.canHandOver()) db.commit()
              else commit = db.handOver(always)
              stands = new Map(now)
              isInside = false
              break
            case 'land':
              land()
              break
            case 'rollback':
              db.rollback()
              now = new Map(stands)
              isInside = false
          }
        }
        if (isInside) db.rollback()
        land()
        const reader = openDatabase(file, { readOnly: true })
        const found = reader.prepare('SELECT key, value FROM things ORDER BY key').all()
        reader.close()
        expect(found.map(({ key, value }) => [key, value])).to.deep.equal(ordered(stands))
      }),
      { numRuns: 60 },
    )
  })

  it('writes nothing when the guard does not hold, and says so to whoever reads on', () => {
    db.begin()
    db.prepare('INSERT INTO things (key, value) VALUES (?, ?)').run(1, 'one')
    const commit = db.handOver(never)
    expect(db.prepare('SELECT * FROM things').all(), 'who only looks on sees what stands').to.deep.equal([])
    db.begin()
    expect(() => db.prepare('SELECT * FROM things').all()).to.throw('Another process has appended')
    db.rollback()
    expect(commit.outcome()).to.deep.equal({ kind: 'refused' })
    expect(db.prepare('SELECT * FROM things').all()).to.deep.equal([])
  })

  it('writes nothing of a transaction of which one statement fails, and says why', () => {
    db.begin()
    const insert = db.prepare('INSERT INTO things (key, value) VALUES (?, ?)')
    insert.run(1, 'one')
    insert.run(2, null)
    const commit = db.handOver(always)
    db.begin()
    expect(() => db.prepare('SELECT * FROM things').all()).to.throw('NOT NULL')
    db.rollback()
    const outcome = commit.outcome()
    expect(outcome.kind === 'failed' && String(outcome.error)).to.contain('NOT NULL')
    expect(db.prepare('SELECT * FROM things').all()).to.deep.equal([])
  })

  it('tells whoever asked when a transaction is carried out, and never in the middle of something else', async () => {
    db.begin()
    db.prepare('INSERT INTO things (key, value) VALUES (?, ?)').run(1, 'one')
    let isTold = false
    const commit = db.handOver(always)
    const told = new Promise<void>((resolve) => {
      commit.whenDone(() => {
        isTold = true
        resolve()
      })
    })
    expect(db.prepare('SELECT count(*) AS things FROM things').get()).to.deep.equal({ things: 1 })
    expect(isTold).to.equal(false)
    await told
    expect(commit.outcome()).to.deep.equal({ kind: 'committed' })
  })

  it('carries out by itself what it gave to a thread that is gone', async () => {
    const insert = db.prepare('INSERT INTO things (key, value) VALUES (?, ?)')
    const count = { sql: 'SELECT count(*) FROM things' }
    const handOver = (key: number): PendingWrite => {
      db.begin()
      insert.run(key, 'one')
      return db.handOver({ ...count, expected: key - 1, after: key })
    }
    expect(handOver(1).outcome()).to.deep.equal({ kind: 'committed' })
    const stopped = db.stopThread()
    const commit = handOver(2)
    await stopped
    expect(commit.outcome()).to.deep.equal({ kind: 'committed' })
    expect(db.prepare('SELECT key FROM things').all()).to.deep.equal([{ key: 1 }, { key: 2 }])
  })

  it('carries out everything by itself where there is no file for a thread to open', () => {
    const local = openDatabase(':memory:')
    local.exec('CREATE TABLE things (key INTEGER PRIMARY KEY, value TEXT NOT NULL) STRICT')
    const alone = new WriteBehind(local)
    alone.begin()
    alone.prepare('INSERT INTO things (key, value) VALUES (?, ?)').run(1, 'one')
    expect(alone.canHandOver()).to.equal(false)
    alone.commit()
    expect(alone.prepare('SELECT value FROM things').all()).to.deep.equal([{ value: 'one' }])
    alone.close()
  })
})
