/** What a forged tick, a stolen key and an old copy cannot do to a log whose key changes. */
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startNode, type CarillonError, type Node } from 'carillon'
import { acceptRestored, backupStore, restoreStore } from 'carillon/backup'
import { readKeyFile, rotateKey } from 'carillon/keys'
import { verifyLog } from 'carillon/logs'
import { changePartyKey, makeNetwork, openNetworkFolder } from 'carillon/network'
import { canonicalText } from '../../src/encoding/canonical.js'
import { signKeyChange } from '../../src/identity/KeyChange.js'
import { generateKeyPair } from '../../src/identity/KeyPair.js'
import { ownNetworkId } from '../../src/identity/NetworkId.js'
import { SqliteLog } from '../../src/logs/sqlite/SqliteLog.js'
import { emptyHead, headAfter, tickAfter, type EncodedTick } from '../../src/log/Tick.js'
import { EmbeddedStore } from '../../src/storage/EmbeddedStore.js'
import { foldLog } from '../../src/history/foldLog.js'
import { operateOffline } from '../../src/folder/OfflineOperator.js'
import { LogFold } from '../../src/storage/LogFold.js'
import { openDatabase } from '../../src/storage/sqlite/openDatabase.js'
import { StoredViews, viewsSchema } from '../../src/storage/StoredViews.js'
import { instant } from '../../src/time/Instant.js'
import { signingWith, startLine } from '../log/signing.js'
import { app as iouApp } from '../session/iou.js'
import { bank, MintCoin } from '../store/bank.js'

const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'fulfilled',
    (error: unknown) => (error as CarillonError).code,
  )

const at = instant('2026-01-01T00:00:00.000Z')
const drained = canonicalText({ type: 'DrainingStarted', by: 'somebody' })

async function* each(ticks: readonly EncodedTick[]): AsyncGenerator<EncodedTick> {
  for (const tick of ticks) yield await Promise.resolve(tick)
}

describe('A tick that the node has not signed', () => {
  let folder: string
  const database = (): string => join(folder, 'carillon.db')
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-attacked-'))
    const node = await startNode({ app: bank, store: folder })
    await node.run(MintCoin, { value: 1 })
    await node.stop()
  })
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  /** Adds a tick to the log and the views of a store, as whoever can write its files would. */
  const forge = async (): Promise<void> => {
    const store = EmbeddedStore.open(database())
    const tick = tickAfter(store.head(), at, [drained], signingWith(generateKeyPair()))
    store.begin()
    store.views.facts.change({ draining: true })
    expect(store.commit(tick).kind).to.equal('appended')
    await store.close()
  }

  it('is not made to count by an operator without a node, by a change of key, or by a restore that goes on', async () => {
    await forge()
    expect(await codeOf(startNode({ app: bank, store: folder }))).to.equal('tick-forged')
    expect(await codeOf(operateOffline(folder, { on: 'draining', action: 'end' }, { by: 'me' }))).to.equal(
      'tick-forged',
    )
    expect(await codeOf(rotateKey(folder))).to.equal('tick-forged')
    expect(await codeOf(backupStore(folder, join(folder, 'backup')))).to.equal('log-altered')
    expect(await codeOf(startNode({ app: bank, store: folder }))).to.equal('tick-forged')
  })

  it('is not served by a look into the past, not even up to the middle of it', async () => {
    const log = SqliteLog.open(database())
    const head = await log.head()
    const tick = tickAfter(head, at, [drained, drained], signingWith(generateKeyPair()))
    expect((await log.append(head, tick)).kind).to.equal('appended')
    expect(await codeOf(foldLog(log.read(0)))).to.equal('tick-forged')
    const db = openDatabase(':memory:')
    db.exec(viewsSchema)
    const fold = new LogFold(new StoredViews(db))
    const foldAll = async (): Promise<void> => {
      let before = emptyHead
      for await (const each of log.read(0)) {
        fold.foldUpTo(each, head.revision + 1, before)
        before = headAfter(each)
      }
      fold.write()
    }
    expect(await codeOf(foldAll())).to.equal('tick-forged')
    db.close()
    await log.close()
  })

  it('cannot begin a log by handing the key over in the first tick', async () => {
    const [victim, thief] = [generateKeyPair(), generateKeyPair()]
    const own = ownNetworkId(victim.publicKey)
    const stolen = { ...signKeyChange(own, victim.publicKey, thief, thief), from: victim.publicKey }
    const first = tickAfter(
      emptyHead,
      at,
      [startLine(victim), canonicalText({ type: 'KeyChanged', change: stolen })],
      signingWith(thief, [], own),
    )
    const second = tickAfter(headAfter(first), at, [drained], signingWith(thief, [], own))
    expect(await codeOf(foldLog(each([first, second])))).to.equal('tick-forged')
  })
})

describe('A party of a network', () => {
  let scratch: string
  let folder: string
  const running = new Set<Node>()
  const start = async (name: string): Promise<Node> => {
    const node = await startNode({ app: iouApp, networkFolder: join(folder, name) })
    running.add(node)
    return node
  }
  const stop = async (node: Node): Promise<void> => {
    running.delete(node)
    await node.stop()
  }
  beforeEach(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'carillon-attacked-'))
    const made = await makeNetwork(join(scratch, 'local'), {
      members: [{ name: 'Alice' }, { name: 'Notary', notary: 'validating' }],
    })
    folder = made.folder
  })
  afterEach(async () => {
    await Promise.all([...running].map(stop))
    rmSync(scratch, { recursive: true, force: true })
  })

  it('never takes a change of its own key from the map: a log that lacks it is outdated', async () => {
    const alice = await start('Alice')
    const key = readKeyFile(join(folder, 'Alice', 'node.key'))
    const change = signKeyChange(alice.network.id, key.publicKey, key, generateKeyPair())
    await changePartyKey(folder, change)
    // The node that runs refuses the map, and goes on signing with its own key.
    await alice.idle()
    expect((await verifyLog(alice.readLog(0))).problems).to.deep.equal([])
    await stop(alice)
    expect(await codeOf(start('Alice'))).to.equal('store-outdated')
  })

  it('is not continued from a backup that is older than its change of key', async () => {
    await stop(await start('Alice'))
    const home = join(folder, 'Alice')
    await backupStore(home, join(scratch, 'backup'))
    const { file } = await rotateKey(home)
    await changePartyKey(folder, JSON.parse(readFileSync(file, 'utf8')))
    const old = join(scratch, 'old')
    await restoreStore(join(scratch, 'backup'), old)
    const key = readKeyFile(join(home, 'node-retired.key'))
    await acceptRestored(old, { by: 'somebody' }, { key })
    const { network } = openNetworkFolder(home).map
    expect(await codeOf(startNode({ app: iouApp, party: 'Alice', store: old, key, network }))).to.equal(
      'store-outdated',
    )
  })

  it('finds its key wherever a change was interrupted, and can hand over all changes at once', async () => {
    await stop(await start('Alice'))
    const home = join(folder, 'Alice')
    const file = (name: string): string => join(home, name)
    const first = await rotateKey(home)
    // As it was after the log had named the new key, and before the files were changed.
    const retired = readFileSync(file('node-retired.key'), 'utf8')
    renameSync(file('node.key'), file('node-next.key'))
    writeFileSync(file('node.key'), retired, { mode: 0o600 })
    rmSync(first.file)
    const second = await rotateKey(home)
    expect(second.change.from).to.equal(first.change.to)
    // Between the two renames.
    renameSync(file('node.key'), file('node-next.key'))
    const { serial } = await changePartyKey(folder, JSON.parse(readFileSync(second.file, 'utf8')))
    expect(serial).to.equal(2)
    const alice = await start('Alice')
    expect(readKeyFile(file('node.key')).publicKey).to.equal(second.change.to)
    expect((await verifyLog(alice.readLog(0))).problems).to.deep.equal([])
  })
})
