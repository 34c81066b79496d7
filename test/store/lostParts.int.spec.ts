import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startNode, type CarillonError } from '../../src/index.js'
import { acceptRestored } from '../../src/entries/backup.js'
import { generateKeyPair } from '../../src/entries/keys.js'
import { MemoryLog, rebuildViews, SqliteLog, verifyLog } from '../../src/entries/logs.js'
import type { NodeOptions } from '../../src/entries/types.js'
import { storeFiles } from '../../src/folder/StoreFolder.js'
import { openDatabase } from '../../src/storage/sqlite/openDatabase.js'
import { bank, Coin, MintCoin } from './bank.js'

const failureOf = async (work: Promise<unknown>): Promise<CarillonError> => {
  try {
    await work
  } catch (error) {
    return error as CarillonError
  }
  throw new Error('expected a failure')
}

describe('a store of which a part is lost', () => {
  let scratch: string
  let folder: string
  let files: ReturnType<typeof storeFiles>
  const by = { by: 'an operator' }

  const start = (options: Partial<NodeOptions> = {}) => startNode({ app: bank, store: folder, ...options })

  const fillStore = async (options: Partial<NodeOptions> = {}): Promise<void> => {
    const node = await start(options)
    for (const value of [1, 2, 3]) await node.run(MintCoin, { value })
    await node.stop()
  }

  const values = async (options: Partial<NodeOptions> = {}): Promise<readonly number[]> => {
    const node = await start(options)
    const found = (await node.states(Coin)).map(({ data }) => data.value)
    await node.stop()
    return found
  }

  /** The files as they are while the node runs. */
  const copyLive = async (to: string): Promise<void> => {
    const node = await start()
    for (const value of [1, 2, 3]) await node.run(MintCoin, { value })
    cpSync(folder, to, { recursive: true, filter: (file) => !file.endsWith('.sock') })
    await node.stop()
  }

  /** Leaves the store as a kill of its process would, in the very files that it was in. */
  const killed = async (): Promise<void> => {
    const live = join(scratch, 'live')
    await copyLive(live)
    for (const name of readdirSync(folder)) if (!existsSync(join(live, name))) rmSync(join(folder, name))
    for (const name of readdirSync(live)) writeFileSync(join(folder, name), readFileSync(join(live, name)))
  }

  beforeEach(() => {
    scratch = mkdtempSync(join(tmpdir(), 'carillon-lost-'))
    folder = join(scratch, 'store')
    files = storeFiles(folder)
  })
  afterEach(() => {
    rmSync(scratch, { recursive: true })
  })

  describe('its database, and the key is there', () => {
    it('is refused, and no second history begins under the key', async () => {
      await fillStore()
      rmSync(files.database)
      for (const attempt of [1, 2]) {
        const failure = await failureOf(start())
        expect(failure.code, `attempt ${attempt}`).to.equal('store-corrupt')
        expect(failure.message).to.include('is missing').and.to.include('backup')
        expect(existsSync(files.database)).to.equal(false)
      }
    })

    it('is refused also when the key is kept elsewhere', async () => {
      const key = generateKeyPair()
      await fillStore({ key })
      rmSync(files.database)
      expect((await failureOf(start({ key }))).code).to.equal('store-corrupt')
    })

    it('is filled again from a log that is kept elsewhere', async () => {
      const log = new MemoryLog()
      await fillStore({ log })
      rmSync(files.database)
      expect(await values({ log })).to.deep.equal([1, 2, 3])
    })
  })

  describe('the end of its log', () => {
    it('starts after a kill, with all that was acknowledged', async () => {
      await killed()
      expect(await values()).to.deep.equal([1, 2, 3])
    })

    it('is refused when a byte of the write-ahead log was changed, and goes on when it is told to', async () => {
      await killed()
      const file = `${files.database}-wal`
      const wal = readFileSync(file)
      wal[wal.length - 2_000] = wal[wal.length - 2_000]! ^ 1
      writeFileSync(file, wal)
      const failure = await failureOf(start())
      expect(failure.code).to.equal('store-restored')
      expect(failure.message).to.include('has lost the end of its log').and.to.include('carillon backup go-on')
      expect(readFileSync(file).equals(wal), 'the evidence is kept').to.equal(true)
      await acceptRestored(folder, by)
      expect((await values()).length).to.be.lessThan(3)
    })

    it('is refused when the write-ahead log is gone', async () => {
      await killed()
      rmSync(`${files.database}-wal`)
      expect((await failureOf(start())).code).to.be.oneOf(['store-restored', 'store-corrupt'])
    })

    it('is refused when an older database was put back', async () => {
      await fillStore()
      const older = readFileSync(files.database)
      await fillStore()
      writeFileSync(files.database, older)
      expect((await failureOf(start())).code).to.equal('store-restored')
    })
  })

  describe('because it was copied while its node ran', () => {
    it('is no twin: it is only read until somebody lets it go on', async () => {
      const copy = join(scratch, 'copy')
      await copyLive(copy)
      const failure = await failureOf(start({ store: copy }))
      expect(failure.code).to.equal('store-restored')
      expect(failure.message).to.include('is a copy of one that a node had open')
      await acceptRestored(copy, by)
      expect(await values({ store: copy })).to.deep.equal([1, 2, 3])
      expect(await values(), 'the original').to.deep.equal([1, 2, 3])
    })

    it('is still no twin when its views were rebuilt', async () => {
      const copy = join(scratch, 'copy')
      await copyLive(copy)
      await rebuildViews(copy)
      expect((await failureOf(start({ store: copy }))).code).to.equal('store-restored')
    })

    it('can be moved when its node was stopped', async () => {
      await fillStore()
      const moved = join(scratch, 'moved')
      cpSync(folder, moved, { recursive: true })
      expect(await values({ store: moved })).to.deep.equal([1, 2, 3])
    })

    it('stays the same store when its views were rebuilt after a kill', async () => {
      await killed()
      await rebuildViews(folder)
      expect(await values()).to.deep.equal([1, 2, 3])
    })
  })

  describe('a number in a row of its log', () => {
    const tamper = (sql: string): void => {
      const db = openDatabase(files.database)
      db.exec('DROP TRIGGER log_ticks_are_never_changed')
      db.exec(sql)
      db.close()
    }
    const problems = async (): Promise<string> => {
      const log = SqliteLog.openReadOnly(files.database)
      const report = await verifyLog(log.read(0))
      await log.close()
      return report.problems.map(({ what }) => what).join('\n')
    }

    for (const tick of [2, 'last'])
      it(`is found out when it is the count of tick ${tick}, and what is advised repairs it`, async () => {
        await fillStore()
        tamper(
          `UPDATE log_ticks SET count = count + 1 WHERE tick = ${tick === 'last' ? '(SELECT max(tick) FROM log_ticks)' : tick}`,
        )
        expect(await problems()).to.match(
          /says that it holds \d+ events, and it holds \d+\. Run "carillon log rebuild"/,
        )
        if (tick === 'last') {
          const failure = await failureOf(start())
          expect(failure.code).to.equal('store-corrupt')
          expect(failure.message).to.include('carillon log rebuild')
        }
        await rebuildViews(folder)
        expect(await problems()).to.equal('')
        expect(await values()).to.deep.equal([1, 2, 3])
      })

    for (const change of [
      'at_ms = at_ms + 1',
      'at_ms = 9e17',
      'first_revision = first_revision + 1',
      'tick = tick + 5',
    ])
      it(`is found out when ${change}, and the rebuild says to restore`, async () => {
        await fillStore()
        tamper(`UPDATE log_ticks SET ${change} WHERE tick = (SELECT max(tick) FROM log_ticks)`)
        expect(await problems()).not.to.equal('')
        const failure = await failureOf(rebuildViews(folder))
        expect(failure.code).to.be.oneOf(['log-altered', 'store-corrupt'])
        expect(failure.message).to.include('backup')
        expect((await failureOf(start())).code).to.be.oneOf([
          'log-altered',
          'store-corrupt',
          'log-diverged',
          'store-restored',
          'tick-forged',
        ])
      })
  })
})
