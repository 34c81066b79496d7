/** A change of the key that a node signs with: on a node alone, interrupted at any point, and misused. */
import { existsSync, mkdtempSync, renameSync, rmSync, copyFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startNode, type Node } from 'carillon'
import { readKeyFile, rotateKey, type KeyChange } from 'carillon/keys'
import { verifyLog, type LogReport } from 'carillon/logs'
import { openStoreLog } from '../../src/folder/readStore.js'
import { rebuildViews } from '../../src/history/rebuildViews.js'
import { bank, Coin, MintCoin } from '../store/bank.js'

describe('a change of key', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-key-'))
  })
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  const keyFile = (): string => join(folder, 'node.key')
  const nextFile = (): string => join(folder, 'node-next.key')
  const start = (): Promise<Node> => startNode({ app: bank, store: folder })
  const mint = async (value: number): Promise<void> => {
    const node = await start()
    await node.run(MintCoin, { value })
    await node.stop()
  }
  const coins = async (): Promise<readonly number[]> => {
    const node = await start()
    const values = (await node.states(Coin)).map(({ data }) => data.value)
    await node.stop()
    return values
  }
  const verify = async (by?: KeyChange['to']): Promise<LogReport> => {
    const log = openStoreLog(folder)
    try {
      return await verifyLog(log.read(0), by === undefined ? {} : { by })
    } finally {
      await log.close()
    }
  }
  const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'nothing',
      (error: unknown) => (error as { readonly code?: string }).code,
    )

  it('lets the node go on with all it holds, and every tick verify from either key on', async () => {
    await mint(1)
    const old = readKeyFile(keyFile()).publicKey
    const { change } = await rotateKey(folder)
    expect(change).to.include({ party: old, from: old })
    expect(readKeyFile(keyFile()).publicKey).to.equal(change.to)
    await mint(2)
    expect(await coins()).to.have.members([1, 2])
    for (const by of [undefined, old, change.to]) expect((await verify(by)).problems, by).to.deep.equal([])
    expect((await verify()).signedBy).to.equal(change.to)
  })

  it('leaves the node the party it was: what it makes afterwards belongs to the same owner', async () => {
    await mint(1)
    const old = readKeyFile(keyFile()).publicKey
    await rotateKey(folder)
    await rotateKey(folder)
    await mint(2)
    const node = await start()
    const owners = (await node.states(Coin)).map(({ data }) => data.owner.key)
    expect(owners).to.deep.equal([old, old])
    expect(node.party.key).to.equal(old)
    await node.stop()
    expect((await verify()).problems).to.deep.equal([])
  })

  it('gives the same views when they are rebuilt', async () => {
    await mint(1)
    await rotateKey(folder)
    await mint(2)
    const node = await start()
    await node.stop()
    const { before, after } = await rebuildViews(folder)
    expect(after).to.equal(before)
  })

  it('finds the key that the log names, wherever it was interrupted', async () => {
    await mint(1)
    const before = join(folder, 'before.key')
    copyFileSync(keyFile(), before)
    const { change } = await rotateKey(folder)
    // The log names the new key, and the files are as they were before it took the place of the old one.
    renameSync(keyFile(), nextFile())
    copyFileSync(before, keyFile())
    await mint(2)
    expect(readKeyFile(keyFile()).publicKey).to.equal(change.to)
    // Between the two renames.
    renameSync(keyFile(), nextFile())
    await mint(3)
    expect(readKeyFile(keyFile()).publicKey).to.equal(change.to)
    expect(await coins()).to.have.members([1, 2, 3])
    // A next key that the log never named is replaced by the next change.
    copyFileSync(before, nextFile())
    await mint(4)
    await rotateKey(folder)
    expect(existsSync(nextFile())).to.equal(false)
    expect(await coins()).to.have.members([1, 2, 3, 4])
  })

  it('is refused while the node runs, without a key, and on a store that no node has run on', async () => {
    const node = await start()
    expect(await codeOf(rotateKey(folder))).to.equal('store-locked')
    await node.stop()
    expect(await codeOf(rotateKey(join(folder, 'nowhere')))).to.equal('store-not-found')
    rmSync(keyFile())
    expect(await codeOf(rotateKey(folder))).to.equal('key-file-invalid')
  })

  it('ends the use of the old key: a node that is started with it is told so', async () => {
    await mint(1)
    const old = readKeyFile(keyFile())
    await rotateKey(folder)
    expect(await codeOf(startNode({ app: bank, store: folder, key: old }))).to.equal('key-retired')
  })
})
