import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startNode, type Node } from '../../src/index.js'
import { digestViews } from '../../src/storage/digest.js'
import { foldLog, LogBackedStore, MemoryLog } from '../../src/entries/logs.js'
import { canonicalText } from '../../src/encoding/canonical.js'
import { sha256, type Hash } from '../../src/encoding/hash.js'
import { silentLogger } from '../../src/engine/Logger.js'
import { CarillonError, NodeFault } from '../../src/errors/CarillonError.js'
import type { AppendOutcome } from '../../src/log/EventLog.js'
import { emptyHead, headAfter, tickAfter, type EncodedTick } from '../../src/log/Tick.js'
import { openDatabase } from '../../src/storage/sqlite/openDatabase.js'
import { keyPairFromSeed, VirtualClock } from '../../src/testing/index.js'
import { instant } from '../../src/time/Instant.js'
import { signingWith, startLine } from '../log/signing.js'
import { bank as app, Coin, MintCoin } from './bank.js'
import { failed, FaultyLog, lostOnTheWay, takenButUnknown, type AppendFault } from './FaultyLog.js'
import { smallDisks } from './smallDisk.js'

const key = keyPairFromSeed('7'.repeat(64))
const at = instant('2026-01-01T00:00:00.000Z')
const sign = signingWith(key)
const draining = canonicalText({ type: 'DrainingStarted', by: 'another' })

const codeOf = (error: unknown): string => (error as CarillonError).code
const refusal = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'fulfilled',
    (error: unknown) => codeOf(error),
  )

describe('a store whose log lives elsewhere', () => {
  let folder: string
  let shared: MemoryLog
  let log: FaultyLog
  let store: LogBackedStore
  let clock: VirtualClock
  let node: Node
  let stoppedBy: CarillonError | undefined

  const start = async (): Promise<void> => {
    log = new FaultyLog(shared.another())
    store = await LogBackedStore.open(log, join(folder, 'views.db'))
    clock = new VirtualClock(at)
    stoppedBy = undefined
    node = await startNode({
      app,
      store,
      clock,
      key,
      onFailure: (error) => (stoppedBy = error as CarillonError),
    })
  }

  const crash = async (): Promise<void> => {
    await node.crash()
    await store.close()
  }

  const values = async (): Promise<readonly number[]> => (await node.states(Coin)).map(({ data }) => data.value)

  /** The log of truth, folded, must be what the views hold. */
  const expectViewsToMatchTheLog = async (): Promise<void> => {
    const folded = await foldLog(shared.read(0))
    expect(digestViews(store.reader)).to.equal(digestViews(folded))
    folded.close()
  }

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-views-'))
    shared = new MemoryLog()
    await start()
  })

  afterEach(async () => {
    await crash()
    rmSync(folder, { recursive: true })
  })

  // As a faulty disk would: the rows cannot be written, or they can and the commit cannot.
  const faultyDisks = {
    row: "CREATE TRIGGER fault BEFORE INSERT ON log_ticks BEGIN SELECT RAISE(ABORT, 'no such luck'); END",
    commit: `
      CREATE TABLE parents (id INTEGER PRIMARY KEY);
      CREATE TABLE orphans (parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER fault AFTER INSERT ON log_ticks BEGIN INSERT INTO orphans VALUES (1); END`,
  }
  for (const [what, fault] of Object.entries(faultyDisks))
    it(`stops when the log has taken a tick and a ${what} of the views cannot be written, and goes on from the log`, async () => {
      await node.run(MintCoin, { value: 1 })
      const outside = openDatabase(join(folder, 'views.db'))
      outside.exec(fault)
      const minting = await refusal(node.run(MintCoin, { value: 2 }))
      expect([minting, stoppedBy?.code]).to.deep.equal(['views-not-written', 'views-not-written'])
      expect(stoppedBy?.message).to.match(/^Tick \d+ is in the log and counts, .*start the node again/)
      outside.exec('DROP TRIGGER fault; DROP TABLE IF EXISTS orphans; DROP TABLE IF EXISTS parents')
      outside.close()
      await store.close()
      await start()
      expect(await values(), 'taken from the log').to.deep.equal([1, 2])
      await expectViewsToMatchTheLog()
    })

  it('records what a node decides, and has nothing to catch up when it is opened again', async () => {
    expect(await node.run(MintCoin, { value: 1 })).to.equal(1)
    await expectViewsToMatchTheLog()
    await crash()
    await start()
    expect(await values()).to.deep.equal([1])
  })

  it('catches up with everything the log holds when its views are behind or gone', async () => {
    await node.run(MintCoin, { value: 1 })
    await node.run(MintCoin, { value: 2 })
    await crash()
    rmSync(join(folder, 'views.db'))
    await start()
    expect(await values()).to.deep.equal([1, 2])
    await node.idle()
    await expectViewsToMatchTheLog()
  })

  it('makes a node step down when another writer was first, and acknowledges nothing that is not in the log', async () => {
    await node.run(MintCoin, { value: 1 })
    const rival = tickAfter(shared.headNow, at, [draining], sign)
    expect(await shared.append(shared.headNow, rival)).to.deep.equal({ kind: 'appended' })
    expect(await refusal(node.start(MintCoin, { value: 2 }))).to.equal('log-revision-conflict')
    expect(codeOf(stoppedBy)).to.equal('log-revision-conflict')
    expect(await refusal(node.start(MintCoin, { value: 3 }))).to.equal('log-revision-conflict')
    expect(await values(), 'views rolled back').to.deep.equal([1])
    expect(shared.headNow).to.deep.equal(headAfter(rival))
  })

  it('tries again after a failure, by itself, and tells the caller who may decide anew', async () => {
    log.next(failed, failed)
    const before = shared.headNow
    expect(await refusal(node.start(MintCoin, { value: 1 }))).to.equal('disk-full')
    expect(await values()).to.deep.equal([])
    expect(await refusal(node.start(MintCoin, { value: 1 }))).to.equal('disk-full')
    expect(shared.headNow).to.deep.equal(before)
    expect(await node.run(MintCoin, { value: 1 })).to.equal(1)
    expect(stoppedBy).to.equal(undefined)
    await expectViewsToMatchTheLog()
  })

  it('is in trouble no longer than the log, although there is nothing more to write', async () => {
    log.next(failed)
    expect(await refusal(node.start(MintCoin, { value: 1 }))).to.equal('disk-full')
    expect(node.trouble?.code).to.equal('disk-full')
    const later = async (): Promise<void> => {
      await node.idle()
      clock.setTo(clock.now() + 60_000)
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
    }
    log.isAway = true
    await later()
    expect(node.trouble?.code, 'the log is away meanwhile').to.equal('log-unreachable')
    log.isAway = false
    await later()
    expect(node.trouble).to.equal(undefined)
  })

  it('says each cause for which it does not know whether a tick is in the log, once', async () => {
    const said: string[] = []
    const logger = { ...silentLogger, warn: (message: string) => void said.push(message) }
    let waits = 0
    const wait = (): Promise<void> => {
      waits += 1
      if (waits === 3) log.whileAway = new CarillonError('log-access-denied', 'The server refuses access.')
      if (waits === 5) log.isAway = false
      return Promise.resolve()
    }
    await crash()
    store = await LogBackedStore.open(log, ':memory:', { logger, wait })
    node = await startNode({ app, store, clock, key })
    log.next(lostOnTheWay)
    log.isAway = true
    expect(await node.run(MintCoin, { value: 1 })).to.equal(1)
    expect(waits).to.equal(5)
    expect(said.map((line) => line.split('; ')[1])).to.deep.equal([
      'the node waits and reads back. the connection was lost',
      'the node waits and reads back. The server refuses access.',
    ])
  })

  it('leaves no loop behind when a node cannot record its start', async () => {
    const other = await LogBackedStore.open(log, ':memory:')
    const failures: Error[] = []
    const time = new VirtualClock(at)
    log.next(failed)
    expect(
      await refusal(
        startNode({ app, store: other, clock: time, key, onFailure: (error) => void failures.push(error) }),
      ),
    ).to.equal('disk-full')
    other.reader.close()
    const { appends } = log
    time.setTo(time.now() + 5_000)
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect({ appends: log.appends, failures }).to.deep.equal({ appends, failures: [] })
  })

  const unknowns: readonly (readonly [string, readonly AppendFault[]])[] = [
    ['and it was taken', [takenButUnknown]],
    ['and it was not taken, so that it is appended again', [lostOnTheWay]],
    ['again and again', [lostOnTheWay, lostOnTheWay, takenButUnknown]],
    ['and the next try fails for another reason', [lostOnTheWay, failed]],
    [
      'and it arrives late, just before it is sent again',
      [
        lostOnTheWay,
        async (append): Promise<AppendOutcome> => {
          await append()
          return append()
        },
      ],
    ],
  ]
  for (const [what, faults] of unknowns)
    it(`finds out when the answer to an append is lost ${what}`, async () => {
      log.next(...faults)
      expect(await node.run(MintCoin, { value: 5 })).to.equal(5)
      expect(await values()).to.deep.equal([5])
      await node.idle()
      await expectViewsToMatchTheLog()
      expect(await node.run(MintCoin, { value: 6 })).to.equal(6)
    })

  it('stops when the answer is lost and the log can no longer be written, instead of waiting for ever', async () => {
    await node.run(MintCoin, { value: 1 })
    const tooNew = new NodeFault('log-too-new', 'A newer version has been here. Run the newer version.')
    log.next(lostOnTheWay, () => Promise.resolve({ kind: 'failed', error: tooNew }))
    expect(await refusal(node.start(MintCoin, { value: 2 }))).to.equal('log-too-new')
    expect(codeOf(stoppedBy)).to.equal('log-too-new')
    expect(await values(), 'views rolled back').to.deep.equal([1])
  })

  it('steps down when the answer is lost and another writer took the place', async () => {
    log.next(async (_, expected) => {
      await shared.append(expected, tickAfter(expected, at, [draining], sign))
      return { kind: 'unknown', error: new NodeFault('log-unreachable', 'lost') }
    })
    expect(await refusal(node.start(MintCoin, { value: 1 }))).to.equal('log-revision-conflict')
    expect(await values()).to.deep.equal([])
    expect(codeOf(stoppedBy)).to.equal('log-revision-conflict')
  })

  it('acknowledges a tick whose answer was lost although another writer has gone on from it, and steps down after', async () => {
    log.next(async (append, _, tick) => {
      await append()
      const head = headAfter(tick)
      await shared.append(head, tickAfter(head, at, [draining], sign))
      return { kind: 'unknown', error: new NodeFault('log-unreachable', 'lost') }
    })
    expect(await node.start(MintCoin, { value: 1 })).to.have.property('id')
    expect(await values()).to.deep.equal([1])
    expect(await refusal(node.start(MintCoin, { value: 2 }))).to.equal('log-revision-conflict')
    expect(codeOf(stoppedBy)).to.equal('log-revision-conflict')
  })

  for (const { name, make } of smallDisks)
    it(`commits its views late when they cannot be written (${name}), since the log already holds the tick`, async () => {
      const disk = make()
      const views = await LogBackedStore.open(shared.another(), join(disk.folder, 'views.db'))
      await crash()
      const other = await startNode({ app, store: views, clock, key })
      await other.run(MintCoin, { value: 1 })
      disk.fill()
      const head = shared.headNow
      const minting = other.run(MintCoin, { value: 2 })
      while (shared.headNow.revision === head.revision) await new Promise((resolve) => setImmediate(resolve))
      await new Promise((resolve) => setTimeout(resolve, 30))
      disk.free()
      expect(await minting).to.equal(2)
      expect(await other.run(MintCoin, { value: 3 })).to.equal(3)
      const folded = await foldLog(shared.read(0))
      expect(digestViews(views.reader)).to.equal(digestViews(folded))
      folded.close()
      await other.crash()
      await views.close()
      disk.remove()
      await start()
    })

  it('shows readers only what is committed while an append is awaited', async () => {
    await node.run(MintCoin, { value: 1 })
    const seen: string[] = []
    const before = digestViews(store.reader)
    log.next(async (append) => {
      seen.push(digestViews(store.reader))
      const outcome = await append()
      seen.push(digestViews(store.reader))
      return outcome
    })
    let answered = false
    const starting = node.start(MintCoin, { value: 2 }).then(() => (answered = true))
    log.next(async (append) => {
      expect(answered).to.equal(true)
      return append()
    })
    await starting
    expect(seen).to.deep.equal([before, before])
    expect(await values()).to.deep.equal([1, 2])
  })

  it('answers a query only after the tick under way, even where views and log share one connection', async () => {
    const memory = new FaultyLog(new MemoryLog())
    const inMemory = await LogBackedStore.open(memory)
    const other = await startNode({ app, store: inMemory, clock, key })
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    memory.next(async () => {
      await held
      return { kind: 'failed', error: new NodeFault('disk-full', 'no room') }
    })
    const starting = refusal(other.start(MintCoin, { value: 9 }))
    await new Promise((resolve) => setImmediate(resolve))
    const asked = other.states(Coin)
    release()
    expect(await asked, 'nothing of the tick that failed').to.deep.equal([])
    expect(await starting).to.equal('disk-full')
    await other.crash()
    await inMemory.close()
  })

  const openAgain = async (ticks: readonly EncodedTick[]): Promise<string> => {
    const other = new MemoryLog()
    let head = emptyHead
    for (const tick of ticks) {
      await other.append(head, tick)
      head = headAfter(tick)
    }
    return refusal(LogBackedStore.open(other, join(folder, 'views.db')))
  }

  it('refuses a log that is shorter than its views, or holds another history', async () => {
    await node.run(MintCoin, { value: 1 })
    const ticks: EncodedTick[] = []
    for await (const tick of shared.read(0)) ticks.push(tick)
    await crash()
    expect(await openAgain(ticks.slice(0, -1)), 'shorter').to.equal('log-diverged')
    expect(await openAgain([]), 'empty').to.equal('log-diverged')
    const [first] = ticks
    const events = [startLine(key), ...Array.from({ length: 20 }, () => draining)]
    const other = tickAfter(emptyHead, at, events, sign)
    expect(first).to.not.equal(undefined)
    expect(await openAgain([other]), 'another history, longer').to.equal('log-diverged')
    await start()
    expect(await values(), 'the right log still fits').to.deep.equal([1])
  })

  it('refuses what the node has not signed, and stays where it was', async () => {
    await crash()
    const knownHead = shared.headNow
    const stranger = keyPairFromSeed('8'.repeat(64))
    const unsigned: readonly (readonly [string, (hash: Hash) => string])[] = [
      ['tick-unsigned', () => ''],
      ['tick-unsigned', () => 'not a signature'],
      ['tick-forged', signingWith(stranger)],
      ['tick-forged', signingWith(key, [], sha256('another network'))],
      ['tick-forged', signingWith(key, [sha256('a transaction that is not in it')])],
    ]
    const honest = shared
    for (const [code, signAs] of unsigned) {
      shared = new MemoryLog()
      for await (const tick of honest.read(0)) await shared.append(shared.headNow, tick)
      await shared.append(knownHead, tickAfter(knownHead, at, [draining], signAs))
      expect(await refusal(LogBackedStore.open(shared.another(), join(folder, 'views.db')))).to.equal(code)
      expect(await refusal(LogBackedStore.open(shared.another()))).to.equal(code)
      const views = openDatabase(join(folder, 'views.db'), { readOnly: true })
      expect(views.prepare('SELECT revision FROM node_facts').get()).to.deep.include({ revision: knownHead.revision })
      views.close()
    }
    shared = honest
    await start()
    expect(await node.run(MintCoin, { value: 1 }), 'its own log still fits').to.equal(1)
  })

  it('refuses an event it does not know, and stays where it was', async () => {
    await crash()
    const strange = tickAfter(shared.headNow, at, [canonicalText({ type: 'NodeHibernated' })], sign)
    const knownHead = shared.headNow
    await shared.append(knownHead, strange)
    expect(await refusal(LogBackedStore.open(shared.another(), join(folder, 'views.db')))).to.equal('log-too-new')
    expect(await refusal(LogBackedStore.open(shared.another()))).to.equal('log-too-new')
    const views = openDatabase(join(folder, 'views.db'), { readOnly: true })
    expect(views.prepare('SELECT revision FROM node_facts').get()).to.deep.include({ revision: knownHead.revision })
    views.close()
    shared = new MemoryLog()
    rmSync(join(folder, 'views.db'))
    await start()
  })
})
