import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { BackgroundCheckpoints } from './BackgroundCheckpoints.js'
import { openDatabase } from './openDatabase.js'
import { openWritable } from './openWritable.js'

const much = 8 * 1_048_576

describe('checkpoints in the background', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-checkpoints-'))
  })
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  const store = (): { readonly file: string; readonly db: ReturnType<typeof openWritable> } => {
    const file = join(folder, 'store.db')
    const db = openWritable(file)
    db.exec('CREATE TABLE notes (text TEXT) STRICT')
    db.exec("INSERT INTO notes VALUES ('kept')")
    return { file, db }
  }

  /** How many notes the database file holds by itself, without its write-ahead log. */
  const notesInFileAlone = (file: string): number => {
    const alone = join(folder, 'alone.db')
    copyFileSync(file, alone)
    const db = openDatabase(alone)
    try {
      return Number(db.prepare("SELECT count(*) AS notes FROM sqlite_master WHERE name = 'notes'").get()?.['notes'])
    } finally {
      db.close()
    }
  }

  it('bring the file up to date after much was committed, while the writer stays open', async () => {
    const { file, db } = store()
    const checkpoints = new BackgroundCheckpoints(file)
    checkpoints.committed(1)
    expect(notesInFileAlone(file)).to.equal(0)
    checkpoints.committed(much)
    while (notesInFileAlone(file) === 0) await pause(5)
    await checkpoints.stop()
    db.close()
  })

  it('leave one whole file behind when they stop before the writer closes', async () => {
    const { file, db } = store()
    const checkpoints = new BackgroundCheckpoints(file)
    checkpoints.committed(much)
    await checkpoints.stop()
    db.close()
    expect(existsSync(`${file}-wal`)).to.equal(false)
    expect(notesInFileAlone(file)).to.equal(1)
  })

  it('do no harm where no thread can open the file', async () => {
    const { file, db } = store()
    const checkpoints = new BackgroundCheckpoints(join(folder, 'nowhere', 'store.db'))
    checkpoints.committed(much)
    await pause(200)
    checkpoints.committed(much)
    await checkpoints.stop()
    db.exec("INSERT INTO notes VALUES ('more')")
    expect(db.prepare('SELECT count(*) AS notes FROM notes').get()?.['notes']).to.equal(2)
    db.close()
    expect(existsSync(file)).to.equal(true)
  })
})
