import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { defineApp, startNode, type CarillonError } from '../../src/index.js'
import { generateKeyPair } from '../../src/entries/keys.js'
import { importLog, rebuildViews, SqliteLog, verifyLog } from '../../src/entries/logs.js'
import type { NodeOptions } from '../../src/entries/types.js'
import { canonicalText } from '../../src/encoding/canonical.js'
import { headAfter, tickAfter, type EncodedTick } from '../../src/log/Tick.js'
import { signed } from '../log/signing.js'
import { SqliteTicks } from '../../src/storage/SqliteTicks.js'
import { lockFolder, storeFiles } from '../../src/folder/StoreFolder.js'
import { openDatabase } from '../../src/storage/sqlite/openDatabase.js'
import type { Database } from '../../src/storage/Database.js'
import { bank, Coin, MintCoin } from './bank.js'
import { waysToLock } from './readOnlyFolder.js'

const failureOf = async (work: Promise<unknown>): Promise<CarillonError> => {
  try {
    await work
  } catch (error) {
    return error as CarillonError
  }
  throw new Error('expected a failure')
}

const codeOf = async (work: Promise<unknown>): Promise<string> => (await failureOf(work)).code

describe('a store folder', () => {
  let scratch: string
  let folder: string
  let files: ReturnType<typeof storeFiles>

  const start = (options: Partial<NodeOptions> = {}) => startNode({ app: bank, store: folder, ...options })

  /** Makes the store with some coins in it and leaves it in good order. */
  const fillStore = async (): Promise<void> => {
    const node = await start()
    for (const value of [1, 2, 3]) await node.run(MintCoin, { value })
    await node.stop()
  }

  const values = async (): Promise<readonly number[]> => {
    const node = await start()
    const found = (await node.states(Coin)).map(({ data }) => data.value)
    await node.stop()
    return found
  }

  /** Changes the file behind Carillon's back, and leaves no checksums by which that would be seen at once. */
  const tamper = (change: (db: Database) => void): void => {
    rmSync(files.pageNotes, { force: true })
    const db = openDatabase(files.database)
    for (const what of ['changed', 'deleted', 'replaced']) db.exec(`DROP TRIGGER IF EXISTS log_ticks_are_never_${what}`)
    change(db)
    db.close()
  }

  const verify = async (): Promise<Awaited<ReturnType<typeof verifyLog>>> => {
    const log = SqliteLog.openReadOnly(files.database)
    try {
      return await verifyLog(log.read(0))
    } finally {
      await log.close()
    }
  }

  beforeEach(() => {
    scratch = mkdtempSync(join(tmpdir(), 'carillon-folder-'))
    folder = join(scratch, 'store')
    files = storeFiles(folder)
  })
  afterEach(() => {
    rmSync(scratch, { recursive: true })
  })

  describe('that another process holds', () => {
    it('is refused with the pid, the host and the time, and is free the moment that process is killed', async () => {
      const child = spawn(
        process.execPath,
        ['--conditions=carillon-source', '--import', 'tsx', join(import.meta.dirname, 'holdStore.ts'), folder],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      )
      try {
        await once(child.stdout, 'data')
        const refused = await failureOf(start())
        expect(refused.code).to.equal('store-locked')
        expect(refused.message).to.include(`process ${child.pid} on ${hostname()}, since 20`)
        expect(await codeOf(rebuildViews(folder))).to.equal('store-locked')
        expect(await codeOf(importLog((async function* () {})(), folder))).to.equal('store-locked')
      } finally {
        child.kill('SIGKILL')
      }
      await once(child, 'exit')
      expect(await values()).to.deep.equal([1])
    })

    it('stays held although nobody refers to the lock any more', async () => {
      mkdirSync(folder)
      const takeAndForget = (): void => {
        lockFolder(folder)
      }
      takeAndForget()
      setFlagsFromString('--expose-gc')
      const collectGarbage = runInNewContext('gc') as () => void
      for (let round = 0; round < 3; round++) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        collectGarbage()
      }
      expect(() => lockFolder(folder)).to.throw(`process ${process.pid}`)
    })

    it('is refused within one process too, and free after a stop or a failed start', async () => {
      const node = await start()
      expect(await codeOf(start())).to.equal('store-locked')
      await node.stop()
      expect(await codeOf(start({ party: 'Somebody else' }))).to.equal('store-foreign')
      expect(await values()).to.deep.equal([])
    })
  })

  describe('that cannot be written', () => {
    it('is refused when a file is in its place, or in the place of a folder above it', async () => {
      writeFileSync(folder, 'in the way')
      expect(await codeOf(start())).to.equal('store-not-writable')
      expect(await codeOf(start({ store: join(folder, 'inside') }))).to.equal('store-not-writable')
      expect(readFileSync(folder, 'utf8')).to.equal('in the way')
    })

    for (const { name, lock } of waysToLock)
      it(`is refused when it is read-only by ${name}`, async () => {
        await fillStore()
        const before = readFileSync(files.database)
        const unlock = lock(folder)
        try {
          for (const work of [
            () => start(),
            () => start({ store: join(folder, 'inside') }),
            () => rebuildViews(folder),
            () => importLog((async function* () {})(), join(folder, 'inside')),
          ]) {
            const failure = await failureOf(work())
            expect(failure.code, failure.message).to.equal('store-not-writable')
          }
        } finally {
          unlock()
        }
        expect(readFileSync(files.database).equals(before)).to.equal(true)
        expect(await values()).to.deep.equal([1, 2, 3])
      })
  })

  describe('whose file is damaged', () => {
    for (const [what, sizeOf] of [
      ['half of it', (size: number) => Math.floor(size / 2 / 4_096) * 4_096],
      ['all but its last page', (size: number) => size - 4_096],
      ['its first page', () => 4_096],
      ['a part of its header', () => 50],
      ['nothing of it', () => 0],
    ] as const)
      it(`is refused when ${what} is left, and never begun anew`, async () => {
        await fillStore()
        truncateSync(files.database, sizeOf(statSync(files.database).size))
        expect(await codeOf(start())).to.equal('store-corrupt')
      })

    it('is refused when it is a text file', async () => {
      mkdirSync(folder)
      writeFileSync(files.database, 'Dear diary, this is no database.\n'.repeat(200))
      expect(await codeOf(start())).to.equal('store-corrupt')
      expect(await codeOf(rebuildViews(folder))).to.equal('store-corrupt')
      expect(await codeOf(importLog((async function* () {})(), folder))).to.equal('store-corrupt')
    })

    it('is found out by verification when a byte of the log was changed, and is not rebuilt from', async () => {
      await fillStore()
      expect((await verify()).problems).to.deep.equal([])
      tamper((db) => db.exec(`UPDATE log_ticks SET events = replace(events, '"value":2', '"value":9') WHERE tick > 1`))
      const { problems } = await verify()
      expect(problems.map(({ what }) => what).join('\n')).to.match(/running hash of tick .* was altered/)
      expect(problems.map(({ what }) => what).join('\n')).to.match(/transaction .* has a body whose id is/)
      const failure = await failureOf(rebuildViews(folder))
      expect(failure.code).to.equal('log-altered')
      expect(await values(), 'the old views are still there').to.deep.equal([1, 2, 3])
    })

    it('is found out by verification when a row of the log cannot be read', async () => {
      await fillStore()
      tamper((db) => db.exec("UPDATE log_ticks SET hash = 'x' WHERE tick = 2"))
      expect((await verify()).problems.map(({ what }) => what).join()).to.include('cannot be read further')
    })

    it('is repaired by a rebuild when rows of the views were changed', async () => {
      await fillStore()
      const sound = await rebuildViews(folder)
      expect(sound.before).to.equal(sound.after)
      tamper((db) => db.exec(`UPDATE states SET text = replace(text, '"value":2', '"value":1000000')`))
      expect(await values()).to.deep.equal([1, 1_000_000, 3])
      const repaired = await rebuildViews(folder)
      expect(repaired.before).to.not.equal(repaired.after)
      expect(await values()).to.deep.equal([1, 2, 3])
    })

    it('is repaired by a rebuild when tables of the views are gone or overfull', async () => {
      await fillStore()
      const { after } = await rebuildViews(folder)
      tamper((db) => db.exec('DROP TABLE states; DELETE FROM flows; CREATE TABLE junk (x)'))
      expect(await rebuildViews(folder)).to.include({ after })
      expect(await values()).to.deep.equal([1, 2, 3])
    })

    it('is refused when the log is shorter than what was noted beside it, or than the views', async () => {
      await fillStore()
      tamper((db) => db.exec('DELETE FROM log_ticks WHERE tick = (SELECT max(tick) FROM log_ticks)'))
      expect(await codeOf(start())).to.equal('store-restored')
      rmSync(files.position)
      expect(await codeOf(start())).to.equal('log-diverged')
    })

    it('is refused when the views stand elsewhere than the log, until they are rebuilt', async () => {
      await fillStore()
      tamper((db) => db.exec('UPDATE node_facts SET revision = revision + 1'))
      expect(await codeOf(start())).to.equal('log-diverged')
      const { before, after } = await rebuildViews(folder)
      expect(before).to.not.equal(after)
      expect(await values()).to.deep.equal([1, 2, 3])
    })
  })

  describe('of someone else', () => {
    it('is refused: another party, another app, another key', async () => {
      await fillStore()
      const before = readFileSync(files.database)
      for (const options of [
        { party: 'Somebody else' },
        { app: defineApp({ name: 'other', states: [Coin], flows: [MintCoin] }) },
        { key: generateKeyPair() },
      ])
        expect(await codeOf(start(options))).to.equal('store-foreign')
      expect(readFileSync(files.database).equals(before), 'nothing was written').to.equal(true)
      expect(await values()).to.deep.equal([1, 2, 3])
    })

    it('is refused, and no new key made, when its key is missing', async () => {
      await fillStore()
      const key = readFileSync(files.key)
      rmSync(files.key)
      expect(await codeOf(start())).to.equal('store-foreign')
      expect(statSync(files.key, { throwIfNoEntry: false })).to.equal(undefined)
      writeFileSync(files.key, key)
      expect(await values()).to.deep.equal([1, 2, 3])
    })

    it('is refused, and left as it was, when it is some other SQLite file', async () => {
      mkdirSync(folder)
      const db = openDatabase(files.database)
      db.exec('CREATE TABLE recipes (name TEXT)')
      db.close()
      const before = readFileSync(files.database)
      for (const work of [
        () => start(),
        () => rebuildViews(folder),
        () => importLog((async function* () {})(), folder),
      ])
        expect(await codeOf(work())).to.equal('store-foreign')
      expect(readFileSync(files.database).equals(before)).to.equal(true)
    })
  })

  describe('of another version', () => {
    it('is refused, and left as it was, when its format is newer', async () => {
      await fillStore()
      tamper((db) => db.exec('PRAGMA user_version = 7'))
      const before = readFileSync(files.database)
      for (const work of [
        () => start(),
        () => rebuildViews(folder),
        () => importLog((async function* () {})(), folder),
      ]) {
        const failure = await failureOf(work())
        expect(failure.code).to.equal('log-too-new')
        expect(failure.message).to.include('format 7')
      }
      expect(readFileSync(files.database).equals(before)).to.equal(true)
    })

    it('is refused, and left as it was, when its format is that before the first release', async () => {
      await fillStore()
      tamper((db) => db.exec('PRAGMA user_version = 1'))
      const before = readFileSync(files.database)
      for (const work of [() => start(), () => rebuildViews(folder)])
        expect(await codeOf(work())).to.equal('log-too-old')
      expect(readFileSync(files.database).equals(before)).to.equal(true)
    })

    it('keeps its views when its log holds an event this version does not know', async () => {
      await fillStore()
      const addTick = (db: Database): EncodedTick => {
        const ticks = new SqliteTicks(db)
        const [last] = ticks.page(ticks.head().tick, 1)
        const tick = tickAfter(headAfter(last!), last!.at, [canonicalText({ type: 'NodeHibernated' })], signed)
        ticks.insert(tick)
        return tick
      }
      tamper((db) => void addTick(db))
      const failure = await failureOf(rebuildViews(folder))
      expect(failure.code).to.equal('log-too-new')
      expect(failure.message).to.include('NodeHibernated')
      expect((await verify()).problems.map(({ what }) => what).join()).to.include('NodeHibernated')
    })
  })

  it('that is not there is not found by a rebuild, and not made', async () => {
    expect(await codeOf(rebuildViews(folder))).to.equal('store-not-found')
    expect(statSync(folder, { throwIfNoEntry: false })).to.equal(undefined)
  })
})
