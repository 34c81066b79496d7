import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { buildSync } from 'esbuild'
import type { EncodedTick } from '../../src/log/Tick.js'
import { inThreads, unvouched, type VouchedTick } from '../../src/history/inThreads.js'
import { LogChecker } from '../../src/history/LogChecker.js'
import type { FoundProblem } from '../../src/history/LogProblem.js'
import { VouchingThreads } from '../../src/history/VouchingThreads.js'
import { VirtualNode } from '../../src/testing/index.js'
import { perform, tour, workloadApp } from './workload.js'

async function* each(ticks: readonly EncodedTick[]): AsyncGenerator<EncodedTick> {
  for (const tick of ticks) yield await Promise.resolve(tick)
}

const recorded = async (): Promise<readonly EncodedTick[]> => {
  const virtual = await VirtualNode.start({ app: workloadApp, seed: 'vouching' })
  for (const work of tour) for (const deed of work) await perform(virtual, deed)
  const ticks: EncodedTick[] = []
  for await (const tick of virtual.node.readLog()) ticks.push(tick)
  await virtual.stop()
  await virtual.store.close()
  return ticks
}

type Checked = {
  readonly problems: readonly FoundProblem[]
  readonly counts: LogChecker['counts']
  readonly vouched: number
}

const check = async (source: AsyncIterable<VouchedTick>): Promise<Checked> => {
  const checker = new LogChecker()
  const problems: FoundProblem[] = []
  let vouched = 0
  for await (const { tick, vouch } of source) {
    if (vouch !== undefined) vouched += 1
    problems.push(...checker.check(tick, vouch).problems)
  }
  return { problems, counts: checker.counts, vouched }
}

describe('ticks that threads vouch for', () => {
  let ticks: readonly EncodedTick[] = []
  const scratch = mkdtempSync(join(tmpdir(), 'carillon-vouching-'))
  const program = join(scratch, 'vouchingThread.mjs')
  before(async () => {
    ticks = await recorded()
    // A thread loads no sources, so it is given what it runs as one file.
    buildSync({
      entryPoints: ['src/history/vouchingThread.ts'],
      outfile: program,
      ...{ bundle: true, platform: 'node', format: 'esm', logLevel: 'error' },
    })
  })
  after(() => {
    rmSync(scratch, { recursive: true })
  })
  const oneThread = (): VouchingThreads => new VouchingThreads(1, pathToFileURL(program))

  const changed = (place: number, change: (tick: EncodedTick) => EncodedTick): readonly EncodedTick[] =>
    ticks.map((tick, index) => (index === place ? change(tick) : tick))

  const logs: readonly (readonly [what: string, log: () => readonly EncodedTick[]])[] = [
    ['a sound log', () => ticks],
    [
      'a log with a letter changed',
      () => changed(9, (tick) => ({ ...tick, events: tick.events.map((line) => line.replace('it', 'is')) })),
    ],
    ['a log with an event taken out', () => changed(9, (tick) => ({ ...tick, events: tick.events.slice(1) }))],
    [
      'a log with another hash in one place',
      () => changed(9, (tick) => ({ ...tick, hash: ticks[8]?.hash ?? tick.hash })),
    ],
    ['a log with a tick taken out', () => ticks.filter((_, index) => index !== 9)],
    [
      'a log with two ticks in each other’s place',
      () => ticks.map((tick, index) => ticks[index === 9 ? 10 : index === 10 ? 9 : index] ?? tick),
    ],
    [
      'a log with text that is no event',
      () => changed(9, (tick) => ({ ...tick, events: ['no event', ...tick.events.slice(1)] })),
    ],
  ]
  for (const [what, log] of logs) {
    it(`lead to the same report as checking them one by one: ${what}`, async () => {
      const { problems, counts } = await check(unvouched(each(log())))
      const inThread = await check(inThreads(each(log()), 0, oneThread))
      expect(inThread.problems).to.deep.equal(problems)
      expect(inThread.counts).to.deep.equal(counts)
      expect(inThread.vouched).to.be.greaterThan(ticks.length - 5)
      const alone = await check(inThreads(each(log()), 0, () => new VouchingThreads(0)))
      expect(alone).to.deep.equal(inThread)
    })
  }

  it('are checked by the caller when there is no thread to be had', async () => {
    const nowhere = new URL('./nowhere.mjs', pathToFileURL(program))
    const { problems, counts, vouched } = await check(inThreads(each(ticks), 0, () => new VouchingThreads(1, nowhere)))
    expect(problems).to.deep.equal([])
    expect(counts.ticks).to.equal(ticks.length)
    expect(vouched).to.equal(0)
  })

  it('come before the error that ends the reading', async () => {
    async function* broken(): AsyncGenerator<EncodedTick> {
      yield* each(ticks.slice(0, 5))
      throw new Error('the disk is gone')
    }
    const seen: number[] = []
    const source = inThreads(broken(), 0, oneThread)
    const reading = (async () => {
      for await (const { tick } of source) seen.push(tick.number)
    })()
    const error: unknown = await reading.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).to.have.property('message', 'the disk is gone')
    expect(seen).to.have.lengthOf(5)
  })
})
