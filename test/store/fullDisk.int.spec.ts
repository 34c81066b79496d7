import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { startNode, type CarillonError, type Node } from '../../src/index.js'
import { digestViews } from '../../src/storage/digest.js'
import { exportLog, foldLog, importLog, rebuildViews, SqliteLog, verifyLog } from '../../src/entries/logs.js'
import { VirtualClock } from '../../src/testing/index.js'
import { instant } from '../../src/time/Instant.js'
import { bankWith, Coin, MintCoin } from './bank.js'
import { smallDisks, type SmallDisk } from './smallDisk.js'

const refusal = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'fulfilled',
    (error: unknown) => (error as CarillonError).code,
  )

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  for (const line of lines) yield await Promise.resolve(line)
}

it('this machine can make a disk run full', () => {
  expect(smallDisks).to.not.have.length(0)
})

for (const { name, make } of smallDisks)
  describe(`a full disk (${name})`, () => {
    let disk: SmallDisk
    let folder: string
    let clock: VirtualClock
    let node: Node | undefined
    let asked: number
    let answer: (value: number) => void
    let bank: ReturnType<typeof bankWith>
    let failures: Error[]

    const start = async (): Promise<Node> => {
      node = await startNode({ app: bank.app, store: folder, clock, onFailure: (error) => failures.push(error) })
      return node
    }

    const values = async (running: Node): Promise<readonly number[]> =>
      (await running.states(Coin)).map(({ data }) => data.value)

    beforeEach(() => {
      disk = make()
      folder = join(disk.folder, 'store')
      clock = new VirtualClock(instant('2026-01-01T00:00:00.000Z'))
      asked = 0
      failures = []
      const answering = new Promise<number>((resolve) => (answer = resolve))
      bank = bankWith(() => {
        asked += 1
        return answering
      })
    })

    afterEach(async () => {
      disk.free()
      await node?.crash()
      node = undefined
      disk.remove()
    })

    it('is told to callers, loses nothing, leaves nothing half done, and ends by itself', async () => {
      const running = await start()
      await running.run(MintCoin, { value: 1 })
      const head = running.head
      const digest = await running.viewsDigest()
      disk.fill()
      for (const value of [2, 3]) expect(await refusal(running.start(MintCoin, { value }))).to.equal('disk-full')
      expect(await refusal(running.drain())).to.equal('disk-full')
      expect(await values(running)).to.deep.equal([1])
      expect(await running.viewsDigest()).to.equal(digest)
      expect(running.head).to.deep.equal(head)
      disk.free()
      expect(await running.run(MintCoin, { value: 4 })).to.equal(4)
      expect(await values(running)).to.deep.equal([1, 4])
      expect(running.isDraining).to.equal(false)
      expect(failures).to.deep.equal([])
      expect((await verifyLog(running.readLog())).problems).to.deep.equal([])
      const folded = await foldLog(running.readLog())
      expect(digestViews(folded)).to.equal(await running.viewsDigest())
      folded.close()
    })

    it('keeps the report of a finished step until there is room, and does not run the step again', async () => {
      const running = await start()
      const minting = await running.start(bank.MintAsked, {})
      await new Promise((resolve) => setImmediate(resolve))
      expect(asked).to.equal(1)
      const head = running.head
      disk.fill()
      answer(77)
      for (let tries = 0; tries < 3; tries++) {
        await new Promise((resolve) => setImmediate(resolve))
        await running.idle()
        clock.setTo(clock.now() + 1_000)
      }
      expect(running.head, 'nothing could be written').to.deep.equal(head)
      disk.free()
      clock.setTo(clock.now() + 1_000)
      expect(await minting.result()).to.equal(77)
      expect(await values(running)).to.deep.equal([77])
      expect(asked).to.equal(1)
    })

    it('survives a crash while it lasts', async () => {
      const running = await start()
      await running.run(MintCoin, { value: 1 })
      disk.fill()
      expect(await refusal(running.start(MintCoin, { value: 2 }))).to.equal('disk-full')
      await running.crash()
      node = undefined
      disk.free()
      const again = await start()
      expect(await values(again)).to.deep.equal([1])
      expect((await verifyLog(again.readLog())).problems).to.deep.equal([])
    })

    it('keeps a node from starting, with an error that says so, until there is room', async () => {
      await (await start()).crash()
      node = undefined
      disk.fill()
      expect(await refusal(start())).to.equal('disk-full')
      clock.setTo(clock.now() + 5_000)
      await new Promise((resolve) => setImmediate(resolve))
      disk.free()
      const again = await start()
      await again.run(MintCoin, { value: 1 })
      clock.setTo(clock.now() + 5_000)
      await new Promise((resolve) => setTimeout(resolve, 5))
      expect(failures, 'the start that failed left no loop behind').to.deep.equal([])
    })

    it('makes an import fail without leaving a store, and a rebuild without touching the old views', async () => {
      const running = await start()
      for (let value = 0; value < 20; value++) await running.run(MintCoin, { value })
      const digest = await running.viewsDigest()
      const lines: string[] = []
      await exportLog(running.readLog(), (line) => void lines.push(line))
      await running.crash()
      node = undefined
      disk.fill()
      const other = join(disk.folder, 'imported')
      expect(await refusal(importLog(each(lines), other))).to.equal('disk-full')
      expect(existsSync(other)).to.equal(false)
      expect(await refusal(rebuildViews(folder))).to.equal('disk-full')
      disk.free()
      expect(await rebuildViews(folder)).to.include({ before: digest, after: digest })
      const log = SqliteLog.openReadOnly(join(folder, 'carillon.db'))
      expect((await verifyLog(log.read(0))).problems).to.deep.equal([])
      await log.close()
      expect(await importLog(each(lines), other)).to.have.property('revision')
      expect(readdirSync(other).filter((file) => file.includes('importing'))).to.deep.equal([])
    })
  })
