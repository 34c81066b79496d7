import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { CommitThread } from './CommitThread.js'
import type { Write } from './CommitWorker.js'
import { openWritable } from './openWritable.js'

const guard = { sql: 'SELECT count(*) FROM things', expected: 0, after: 1 }
const insert = 'INSERT INTO things (key, value) VALUES (?, ?)'
const one: Write = { statement: 0, values: [1, 'one'] }

describe('a thread that commits', () => {
  let folder = ''
  let file = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-thread-'))
    file = join(folder, 'store.db')
  })
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  const makeTable = (): void => {
    const db = openWritable(file)
    db.exec('CREATE TABLE things (key INTEGER PRIMARY KEY, value TEXT NOT NULL) STRICT')
    db.close()
  }

  const ready = async (thread: CommitThread): Promise<void> => {
    while (!thread.isReady()) await pause(1)
  }

  it('can be stopped when it never came up, and twice', async () => {
    const thread = new CommitThread(join(folder, 'nowhere', 'store.db'))
    thread.isReady()
    await pause(200)
    expect(thread.isReady()).to.equal(false)
    await thread.stop()
    await thread.stop()
  })

  it('keeps every statement in its place, though one before it cannot be prepared', async () => {
    makeTable()
    const thread = new CommitThread(file)
    await ready(thread)
    const carryOut = (writes: readonly Write[], statements: readonly string[]): string | undefined => {
      let outcome: string | undefined
      thread.carryOut(guard, writes, statements, ({ kind }) => (outcome = kind))
      thread.await()
      return outcome
    }
    const texts = ['INSERT INTO nothing VALUES (?)', "INSERT INTO things VALUES (?, 'first')"]
    expect(carryOut([{ statement: 0, values: [1] }], texts)).to.equal('failed')
    texts.push("INSERT INTO things VALUES (?, 'second')")
    expect(carryOut([{ statement: 1, values: [7] }], texts)).to.equal('committed')
    await thread.stop()
    const db = openWritable(file)
    expect(db.prepare('SELECT key, value FROM things').all()).to.deep.equal([{ key: 7, value: 'first' }])
    db.close()
  })

  for (const waits of [true, false])
    it(`says that it is gone to whoever ${waits ? 'waits for it' : 'is to be called back'}`, async () => {
      makeTable()
      // What is sent to it and its end cross each other, now in one way and now in another.
      for (let round = 0; round < 20; round++) {
        const thread = new CommitThread(file)
        await ready(thread)
        const stopped = thread.stop()
        const outcome = await new Promise<string>((resolve) => {
          thread.carryOut(guard, [one], [insert], ({ kind }) => {
            resolve(kind)
          })
          if (waits) thread.await()
        })
        expect(outcome).to.equal('gone')
        await stopped
      }
    })
})
