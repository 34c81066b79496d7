import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { digestViews } from '../../src/storage/digest.js'
import {
  EmbeddedStore,
  exportLog,
  foldLog,
  importLog,
  rebuildViews,
  SqliteLog,
  verifyLog,
} from '../../src/entries/logs.js'
import { eventCodecs } from '../../src/log/events.js'
import { VirtualNode } from '../../src/testing/index.js'
import { deeds, perform, tour, workloadApp, type Deed } from './workload.js'

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  for (const line of lines) yield await Promise.resolve(line)
}

/** What only a node among others, or one with standbys, records; test/session, test/standby and signers.int.spec.ts see to those. */
const isBetweenParties = (type: string): boolean =>
  /^(TransactionNotarised|TransactionSigned|KeysReserved|Session|Message|RestoreAccepted|LeaseRenewed|Network|KeyChanged|CheckpointReceived)/.test(
    type,
  )

describe('views', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'carillon-rebuild-'))
  const seen = new Set<string>()
  after(() => {
    rmSync(scratch, { recursive: true })
  })

  let runs = 0

  const holds = async (work: readonly Deed[]): Promise<void> => {
    const virtual = await VirtualNode.start({ app: workloadApp, seed: `rebuild ${work.length}` })
    for (const deed of work) await perform(virtual, deed)
    const { node, store } = virtual
    await virtual.runUntilQuiet()
    const digest = await node.viewsDigest()

    const folded = await foldLog(node.readLog())
    expect(digestViews(folded), 'folded in memory').to.equal(digest)
    folded.close()

    const report = await verifyLog(node.readLog())
    expect(report.problems).to.deep.equal([])
    expect(report.head).to.deep.equal(node.head)

    const lines: string[] = []
    const events = await exportLog(node.readLog(), (line) => void lines.push(line))
    expect(events).to.equal(node.head.revision + 1)
    for (const line of lines) {
      const { type } = JSON.parse(line) as { readonly type?: string }
      if (type !== undefined) seen.add(type)
    }

    const folder = join(scratch, String((runs += 1)))
    expect(await importLog(each(lines), folder)).to.deep.equal(node.head)
    expect(await rebuildViews(folder), 'imported, then rebuilt').to.deep.equal({
      before: digest,
      after: digest,
      events,
    })
    const imported = EmbeddedStore.open(join(folder, 'carillon.db'))
    expect(digestViews(imported.reader)).to.equal(digest)
    await imported.close()
    const log = SqliteLog.openReadOnly(join(folder, 'carillon.db'))
    const again: string[] = []
    await exportLog(log.read(0), (line) => void again.push(line))
    await log.close()
    expect(again).to.deep.equal(lines)

    await virtual.stop()
    await store.close()
    rmSync(folder, { recursive: true })
  }

  it('are a function of the log: folded, imported or rebuilt, they hold the same rows', async function () {
    await fc.assert(fc.asyncProperty(fc.array(deeds, { minLength: 1, maxLength: 30 }), holds), { numRuns: 12 })
  })

  it('are so for events of every type', async () => {
    for (const work of tour) await holds(work)
    expect(Object.keys(eventCodecs).filter((type) => !seen.has(type) && !isBetweenParties(type))).to.deep.equal([])
  })
})
