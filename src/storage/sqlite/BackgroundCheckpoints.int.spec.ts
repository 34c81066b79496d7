import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { BackgroundCheckpoints } from './BackgroundCheckpoints.js'
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

  /** Whether the note is in the database file itself, and not only in its write-ahead log. */
  const isInFile = (file: string): boolean => readFileSync(file).includes('kept')

  it('bring the file up to date after much was committed, while the writer stays open', async () => {
    const { file, db } = store()
    const checkpoints = new BackgroundCheckpoints(file, db)
    checkpoints.committed(1)
    expect(isInFile(file)).to.equal(false)
    checkpoints.committed(much)
    // Without end only if it never comes, which the time every test has ends.
    while (!isInFile(file) && existsSync(folder)) await pause(5)
    await checkpoints.stop()
    db.close()
  })

  it('leave one whole file behind when they stop before the writer closes', async () => {
    const { file, db } = store()
    const checkpoints = new BackgroundCheckpoints(file, db)
    checkpoints.committed(much)
    await checkpoints.stop()
    db.close()
    expect(existsSync(`${file}-wal`)).to.equal(false)
    expect(isInFile(file)).to.equal(true)
  })

  it('do not keep a process alive that is done and has closed nothing', async () => {
    const ports = (): number => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length
    const { file, db } = store()
    const before = ports()
    const checkpoints = new BackgroundCheckpoints(file, db)
    checkpoints.committed(much)
    expect(ports()).to.equal(before)
    await checkpoints.stop()
    db.close()
  })

  it('do no harm where no thread can open the file', async () => {
    const { file, db } = store()
    const checkpoints = new BackgroundCheckpoints(join(folder, 'nowhere', 'store.db'), db)
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
