/** Views are a function of the log, and not of how it was parted while it was folded. */
import { expect } from 'chai'
import * as fc from 'fast-check'
import { instant } from '../../src/index.js'
import { digestViews } from '../../src/storage/digest.js'
import type { EncodedTick } from '../../src/entries/logs.js'
import { sha256, type Hash } from '../../src/encoding/hash.js'
import { storageLimits } from '../../src/storage/limits.js'
import { emptyHead, headAfter, tickAfter } from '../../src/log/Tick.js'
import { LogFold } from '../../src/storage/LogFold.js'
import { keyPairFromSeed } from '../../src/identity/KeyPair.js'
import { openDatabase } from '../../src/storage/sqlite/openDatabase.js'
import { VirtualNetwork, VirtualNode } from '../../src/testing/index.js'
import { StoredViews, viewsSchema } from '../../src/storage/StoredViews.js'
import { app, Lend } from '../session/iou.js'
import { signingWith, startLine } from './signing.js'
import { foldInParts, turns, type Turn } from './foldInParts.js'
import { deeds, perform, tour, workloadApp, type Deed } from './workload.js'

const ticksOf = async (log: AsyncIterable<EncodedTick>): Promise<readonly EncodedTick[]> => {
  const ticks: EncodedTick[] = []
  for await (const tick of log) ticks.push(tick)
  return ticks
}

const digestInParts = (ticks: readonly EncodedTick[], taken: readonly Turn[]): Hash => {
  const db = foldInParts(ticks, taken)
  try {
    return digestViews(db)
  } finally {
    db.close()
  }
}

const anyTurns = fc.array(fc.constantFrom(...turns), { maxLength: 200 })
const oneByOne = (ticks: readonly unknown[]): readonly Turn[] => ticks.map(() => 'commit and rest')

describe('views folded in parts', () => {
  const holds = async (work: readonly Deed[], taken: readonly Turn[]): Promise<void> => {
    const virtual = await VirtualNode.start({ app: workloadApp, seed: `parts ${work.length}` })
    for (const deed of work) await perform(virtual, deed)
    await virtual.runUntilQuiet()
    const digest = await virtual.node.viewsDigest()
    const ticks = await ticksOf(virtual.node.readLog())
    expect(digestInParts(ticks, []), 'as a whole').to.equal(digest)
    expect(digestInParts(ticks, oneByOne(ticks)), 'tick by tick').to.equal(digest)
    expect(digestInParts(ticks, taken), 'in parts').to.equal(digest)
    await virtual.stop()
    await virtual.store.close()
  }

  it('hold the rows of those folded tick by tick, also after rollbacks', async () => {
    await fc.assert(fc.asyncProperty(fc.array(deeds, { minLength: 1, maxLength: 30 }), anyTurns, holds), {
      numRuns: 10,
    })
  })

  it('do so for events of every type', async () => {
    const [taken = []] = fc.sample(anyTurns, { numRuns: 1, seed: 7 })
    for (const work of tour) await holds(work, taken)
  })

  it('do so for the logs of parties that talk with each other, and of their notary', async () => {
    const network = await VirtualNetwork.start({
      parties: { Alice: { app }, Bob: { app }, Notary: { app, notary: 'validating' } },
      seed: 'parts',
    })
    const terms = { borrower: network.party('Bob'), amount: 10, dueAt: instant('2026-03-01T00:00:00Z') }
    await network.node('Alice').start(Lend, terms)
    await network.advanceTo(instant('2026-03-02T00:00:00Z'))
    for (const name of ['Alice', 'Bob', 'Notary']) {
      const digest = await network.node(name).viewsDigest()
      const ticks = await ticksOf(network.node(name).readLog())
      fc.assert(
        fc.property(anyTurns, (taken) => {
          expect(digestInParts(ticks, taken), name).to.equal(digest)
        }),
        { numRuns: 20 },
      )
    }
  })

  it('still find what they found before a part that merged their index was rolled back', () => {
    const db = openDatabase(':memory:')
    db.exec(viewsSchema)
    const views = new StoredViews(db)
    const fold = new LogFold(views)
    const idOf = (number: number): Hash => number.toString(16).padStart(12, '0').padEnd(64, '0') as Hash
    const notarised = (number: number): string =>
      `{"caller":"ed25519:${'b'.repeat(64)}","id":"${idOf(number)}","inputs":[],"type":"TransactionNotarised"}`
    const many = (from: number, count: number): readonly string[] =>
      Array.from({ length: count }, (_, index) => notarised(from + index))
    const at = instant('2026-01-01T00:00:00Z')
    const key = keyPairFromSeed(sha256('a node'))
    const sign = signingWith(key)
    const first = tickAfter(emptyHead, at, [startLine(key), ...many(0, 10)], sign)
    const second = tickAfter(headAfter(first), at, many(10, storageLimits.unindexedKeys), sign)
    db.exec('BEGIN')
    fold.fold(first)
    fold.write()
    db.exec('COMMIT')
    fold.committed()
    db.exec('BEGIN')
    fold.fold(second)
    fold.write()
    db.exec('ROLLBACK')
    views.rolledBack()
    fold.rolledBack()
    expect(views.spent.isNotarised(idOf(3))).to.equal(true)
    expect(views.spent.isNotarised(idOf(12))).to.equal(false)
    db.close()
  })
})
