/** What a network of nodes over TLS promises about a notary that was restored: it goes on where its peers saw it, or not. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { CarillonError, instantFromMillis, startNode, type Node } from 'carillon'
import { backupStore, restoreStore } from 'carillon/backup'
import { decodeEvent } from 'carillon/logs'
import { makeNetwork } from 'carillon/network'
import { carillon } from '../cli/spawnCarillon.js'
import { eventually } from '../network/LoopbackNetwork.js'
import { removeMark } from '../../src/storage/readMark.js'
import { openWritable } from '../../src/storage/sqlite/openWritable.js'
import { app, Iou, Lend } from '../session/iou.js'

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work
  } catch (error) {
    return error instanceof CarillonError ? error.code : String(error)
  }
  return 'none'
}

describe('A notary that was restored', () => {
  const running = new Set<Node>()
  const failures: string[] = []
  let scratch: string
  let seats: string
  let ann: Node

  const start = async (folder: string): Promise<Node> => {
    const onFailure = (error: Error): void => void failures.push(error instanceof CarillonError ? error.code : '')
    const node = await startNode({ app, networkFolder: folder, onFailure })
    running.add(node)
    return node
  }
  const stop = async (node: Node): Promise<void> => {
    running.delete(node)
    await node.stop()
  }
  /** A debt that is called in at once, which takes the notary. */
  const lendAndCallIn = async (amount: number): Promise<void> => {
    const dueAt = instantFromMillis(Date.now())
    const borrower = ann.network.party('Ben')!
    await ann.run(Lend, { borrower, amount, dueAt })
    let called: readonly number[] = []
    await eventually(() => {
      void ann
        .states(Iou)
        .then((all) => (called = all.filter(({ data }) => data.called).map(({ data }) => data.amount)))
      return called.includes(amount)
    }, `the debt of ${amount} is called in`)
  }
  /** A folder with what a backup holds and what a backup of the party's other files would hold. */
  const restore = async (backup: string, name: string): Promise<string> => {
    const folder = join(scratch, name)
    await restoreStore(backup, folder)
    for (const file of ['node.secret', 'certificate.pem', 'root.pem', 'network.json'])
      cpSync(join(seats, 'Notary', file), join(folder, file))
    return folder
  }

  const [early, late] = ['early', 'late'] as const

  before(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'carillon-notary-'))
    const members = [{ name: 'Ann' }, { name: 'Ben' }, { name: 'Notary', notary: 'validating' as const }]
    seats = (await makeNetwork(join(scratch, 'local'), { members })).folder
    const [first, , notary] = await Promise.all(members.map(({ name }) => start(join(seats, name))))
    ann = first!
    await lendAndCallIn(1)
    await backupStore(join(seats, 'Notary'), join(scratch, early))
    await lendAndCallIn(2)
    await stop(notary!)
    await backupStore(join(seats, 'Notary'), join(scratch, late))
    let kept: readonly string[] = []
    await eventually(() => {
      void ann.keptCheckpoints().then((heads) => (kept = heads.map(({ party }) => party.name)))
      return kept.includes('Notary')
    }, 'Ann keeps the checkpoint that the notary signed at its stop')
  })
  after(async () => {
    await Promise.all([...running].map(stop))
    rmSync(scratch, { recursive: true, force: true })
  })

  it('stays read-only while a peer keeps a newer checkpoint than its log holds', async () => {
    const folder = await restore(join(scratch, early), 'outdated')
    expect(await codeOf(start(folder))).to.equal('store-outdated')
    const asked = await carillon(['backup', 'compare', '--peers', '--store', folder])
    expect(asked.stderr).to.match(
      /^error\[store-outdated\]: .* there is a checkpoint of it at revision \d+: revisions \d+ to \d+ are cut off/,
    )
    expect(asked.code).to.equal(1)
    expect((await carillon(['status', '--store', folder])).stdout).to.match(/read-only +the store was restored/)
  })

  it('cannot be started unmarked either: it is stopped by what its peers answer, and then stays read-only', async () => {
    const folder = await restore(join(scratch, early), 'copied')
    const db = openWritable(join(folder, 'carillon.db'))
    removeMark(db)
    db.close()
    // Whoever writes past the node leaves pages that differ from their checksums.
    rmSync(join(folder, 'carillon-pages.sum'))
    const notary = await start(folder)
    await eventually(() => failures.length > 0, 'the notary hears of what it has lost')
    expect(failures).to.deep.equal(['head-contradicted'])
    await stop(notary)
    expect(await codeOf(start(folder))).to.equal('store-outdated')
    expect((await carillon(['status', '--store', folder])).stdout).to.include('to lack what another party has seen')
  })

  it('goes on by itself when its log holds what all its peers keep, and says so in its log', async () => {
    const kept = await carillon(['log', 'head', '--of', 'Notary', '--store', join(seats, 'Ann')])
    expect(kept.stdout).to.match(/^\{"by":"ed25519:[0-9a-f]{64}","hash":.*"tick":\d+\}\n$/)
    expect(kept.stderr).to.match(/The checkpoint of Notary at revision \d+, kept since /)
    const { stdout } = await carillon(['log', 'heads', '--json', '--store', join(seats, 'Ann')])
    expect(stdout).to.match(/"name":"Notary".*"checkpoint":\{/)
    const notary = await start(await restore(join(scratch, late), 'newest'))
    const lines: string[] = []
    for await (const tick of notary.readLog()) lines.push(...tick.events)
    const accepted = lines.map(decodeEvent).find(({ type }) => type === 'RestoreAccepted')
    expect(accepted).to.deep.include({ by: 'node', checkpoints: 1, note: 'checkpoints kept by Ann' })
    await lendAndCallIn(3)
    await stop(notary)
  })
})
