import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startNode, type CarillonError, type Node } from '../../src/index.js'
import { acceptRestored, backupStore, compareRestored, restoreStore } from '../../src/entries/backup.js'
import { readKeyFile } from '../../src/entries/keys.js'
import { exportLog, importLog, rebuildViews, SqliteLog, verifyLog, type Checkpoint } from '../../src/entries/logs.js'
import { keyPairFromSeed } from '../../src/testing/index.js'
import { sha256 } from '../../src/encoding/hash.js'
import { makeCheckpoint } from '../../src/backup/makeCheckpoint.js'
import { readStore } from '../../src/folder/readStore.js'
import { operateOffline } from '../../src/folder/OfflineOperator.js'
import { operatorName } from '../../src/cli/operatorName.js'
import { bank, Coin, MintCoin } from '../store/bank.js'

const failureOf = async (work: Promise<unknown>): Promise<CarillonError> => {
  try {
    await work
  } catch (error) {
    return error as CarillonError
  }
  throw new Error('expected a failure')
}

async function* each<A>(items: readonly A[]): AsyncGenerator<A> {
  for (const item of items) yield await Promise.resolve(item)
}

describe('a backup', () => {
  let scratch: string
  let folder: string
  let backup: string
  let restored: string
  let node: Node
  const by = { by: 'an operator' }

  const start = (store: string): Promise<Node> => startNode({ app: bank, store })
  const checkpointOf = (store: string, key = readKeyFile(join(store, 'node.key'))): Checkpoint =>
    readStore(store, (db) => makeCheckpoint(db, key))
  /** The secret that opens the key is kept elsewhere, and put back by hand. */
  const bringSecret = (to: string): void => cpSync(join(folder, 'node.secret'), join(to, 'node.secret'))

  beforeEach(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'carillon-backup-'))
    folder = join(scratch, 'store')
    backup = join(scratch, 'backup')
    restored = join(scratch, 'restored')
    node = await start(folder)
    for (const value of [1, 2, 3]) await node.run(MintCoin, { value })
  })
  afterEach(async () => {
    await node.stop()
    rmSync(scratch, { recursive: true })
  })

  it('is made while the node runs, and holds one committed state of it', async () => {
    let value = 10
    const over = new AbortController()
    const minting = (async () => {
      do await node.run(MintCoin, { value: value++ })
      while (!over.signal.aborted)
    })()
    const before = node.head.revision
    const head = await backupStore(folder, backup)
    over.abort()
    await minting
    expect(head.revision).to.be.within(before, node.head.revision)
    expect(readdirSync(backup).sort()).to.deep.equal(['carillon.db', 'node.key'])
    for (const file of readdirSync(backup)) expect(statSync(join(backup, file)).mode & 0o777).to.equal(0o600)
    const log = SqliteLog.openReadOnly(join(backup, 'carillon.db'))
    expect(await verifyLog(log.read(0))).to.deep.include({ head, problems: [] })
    await log.close()
    expect((await rebuildViews(backup)).before, 'views of the same moment').to.equal((await rebuildViews(backup)).after)
  })

  it('is restored to a store that is only read, however it was copied', async () => {
    await backupStore(folder, backup)
    await restoreStore(backup, restored)
    const copied = join(scratch, 'copied')
    cpSync(backup, copied, { recursive: true })
    for (const store of [restored, copied, backup]) {
      bringSecret(store)
      const failure = await failureOf(start(store))
      expect(failure.code).to.equal('store-restored')
      expect(failure.message).to.include('carillon backup compare').and.to.include('carillon backup go-on')
      const drain = { on: 'draining', action: 'start' } as const
      expect((await failureOf(operateOffline(store, drain, { by: operatorName() }))).code).to.equal('store-restored')
      await rebuildViews(store)
      expect((await failureOf(start(store))).code, 'after a rebuild too').to.equal('store-restored')
    }
  })

  it('goes on when it is told to, and says who said so', async () => {
    await backupStore(folder, backup)
    await restoreStore(backup, restored)
    bringSecret(restored)
    await acceptRestored(restored, { ...by, note: 'it burnt down' })
    const again = await start(restored)
    await again.run(MintCoin, { value: 4 })
    expect((await again.states(Coin)).map(({ data }) => data.value)).to.deep.equal([1, 2, 3, 4])
    const report = await verifyLog(again.readLog(), { decode: true })
    expect(report.problems).to.deep.equal([])
    const lines: string[] = []
    for await (const tick of again.readLog()) lines.push(...tick.events)
    const accepted = lines.findIndex((line) => line.includes('RestoreAccepted'))
    expect(JSON.parse(lines[accepted]!)).to.deep.equal({
      type: 'RestoreAccepted',
      by: 'an operator',
      checkpoints: 0,
      note: 'it burnt down',
      revision: accepted - 1,
    })
    await again.stop()
    expect((await failureOf(acceptRestored(restored, by))).code).to.equal('request-invalid')
  })

  it('goes on when it holds every checkpoint that others keep', async () => {
    await node.stop()
    const checkpoint = checkpointOf(folder)
    await backupStore(folder, backup)
    await restoreStore(backup, restored)
    bringSecret(restored)
    await compareRestored(restored, [checkpoint], by)
    await (await start(restored)).stop()
    node = await start(folder)
  })

  it('stays read-only when others have seen more, or something else', async () => {
    await backupStore(folder, backup)
    await restoreStore(backup, restored)
    bringSecret(restored)
    await node.run(MintCoin, { value: 4 })
    await node.stop()
    const failure = await failureOf(compareRestored(restored, [checkpointOf(folder)], by))
    expect(failure.code).to.equal('store-outdated')
    expect(failure.message).to.include('are cut off')
    const other = join(scratch, 'other')
    const stranger = keyPairFromSeed(sha256('a stranger'))
    const foreign = await startNode({ app: bank, store: other, key: stranger })
    await foreign.stop()
    expect((await failureOf(compareRestored(restored, [checkpointOf(other, stranger)], by))).code).to.equal(
      'log-altered',
    )
    expect((await failureOf(compareRestored(restored, [], by))).code).to.equal('head-invalid')
    expect((await failureOf(start(restored))).code).to.equal('store-restored')
    node = await start(folder)
  })

  it('is never written over something, and leaves nothing behind when it fails', async () => {
    mkdirSync(backup)
    writeFileSync(join(backup, 'diary.txt'), 'dear diary')
    expect((await failureOf(backupStore(folder, backup))).code).to.equal('folder-not-empty')
    expect(readdirSync(backup)).to.deep.equal(['diary.txt'])
    expect((await failureOf(backupStore(join(scratch, 'nowhere'), restored))).code).to.equal('store-not-found')
    expect(existsSync(restored)).to.equal(false)
    expect((await failureOf(restoreStore(backup, restored))).code).to.equal('store-not-found')
    expect((await failureOf(restoreStore(folder, folder))).code).to.equal('folder-not-empty')
  })

  it('may be an export too: what is imported is only read until it was compared', async () => {
    await node.stop()
    const lines: string[] = []
    const log = SqliteLog.openReadOnly(join(folder, 'carillon.db'))
    await exportLog(log.read(0), (line) => void lines.push(line))
    await log.close()
    await importLog(each(lines), restored)
    cpSync(join(folder, 'node.key'), join(restored, 'node.key'))
    bringSecret(restored)
    expect((await failureOf(start(restored))).message).to.include('an export taken in at')
    await compareRestored(restored, [checkpointOf(folder)], by)
    await (await start(restored)).stop()
    node = await start(folder)
  })
})
