import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startNode, type Node } from '../../src/index.js'
import { EmbeddedStore } from '../../src/entries/logs.js'
import type { Clock } from '../../src/entries/types.js'
import { engineLimits } from '../../src/engine/limits.js'
import type { TickStore } from '../../src/storage/TickStore.js'
import { VirtualClock } from '../../src/testing/index.js'
import { instant } from '../../src/time/Instant.js'
import { bank, MintCoin } from './bank.js'

/** As many as fill several ticks of any size. */
const many = 1_000
/** What one coin may add to a tick at most, and the signature at its end. */
const slack = 4_096

/** How much the ticks hold, of a node that was asked for many coins at once. */
const sizesOf = async (node: Node): Promise<readonly number[]> => {
  await node.idle()
  const { revision } = node.head
  await Promise.all(Array.from({ length: many }, (_, value) => node.run(MintCoin, { value })))
  const sizes: number[] = []
  for await (const { firstRevision, events } of node.readLog(revision + 1))
    if (firstRevision > revision) sizes.push(events.join('\n').length)
  return sizes
}

/** All but the last hold as much as a tick may. */
const expectFull = (sizes: readonly number[]): void => {
  expect(sizes.length).to.be.greaterThan(1)
  for (const size of sizes.slice(0, -1))
    expect(size).to.be.within(engineLimits.tickBytes, engineLimits.tickBytes + slack)
}

describe('a tick', () => {
  let node: Node
  const stillClock: Clock = { now: () => Date.parse('2026-01-01'), wakeAt: () => () => undefined }

  const startOn = async (isWriterIdle: (() => boolean) | undefined): Promise<Node> => {
    const inner = EmbeddedStore.inMemory()
    const store: TickStore = {
      views: inner.views,
      reader: inner.reader,
      head: inner.head,
      begin: inner.begin,
      commit: inner.commit,
      rollback: inner.rollback,
      tick: inner.tick,
      read: (fromRevision) => inner.read(fromRevision),
      close: inner.close,
      ...(isWriterIdle === undefined ? {} : { isWriterIdle }),
    }
    node = await startNode({ app: bank, store, clock: stillClock })
    return node
  }

  afterEach(async () => {
    await node.stop()
  })

  it('takes what comes after a pause as far as it fits, and those after it close when the disk is free', async () => {
    const [first = 0, ...others] = await sizesOf(await startOn(() => true))
    expect(first).to.be.within(engineLimits.tickBytes, engineLimits.tickBytes + slack)
    const following = others.slice(0, -1)
    expect(following).not.to.be.empty
    for (const size of following)
      expect(size).to.be.within(engineLimits.idleTickBytes, engineLimits.idleTickBytes + slack)
  })

  it('goes on while the disk is busy, and where a store never hands over', async () => {
    for (const isWriterIdle of [() => false, undefined]) {
      expectFull(await sizesOf(await startOn(isWriterIdle)))
      if (isWriterIdle !== undefined) await node.stop()
    }
  })

  it('ends in virtual time by its size alone, on a disk too', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-ticks-'))
    try {
      node = await startNode({
        app: bank,
        store: folder,
        clock: new VirtualClock(instant('2026-01-01T00:00:00.000Z')),
      })
      // The first would start a thread, and the second be handed to it.
      const first = await sizesOf(node)
      const second = await sizesOf(node)
      expectFull(first)
      expectFull(second)
      expect(second.length).to.equal(first.length)
    } finally {
      await node.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
