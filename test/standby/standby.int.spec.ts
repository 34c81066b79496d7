import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { standBy, type CarillonError } from '../../src/index.js'
import { digestViews } from '../../src/storage/digest.js'
import { decodeEvent, foldLog, MemoryLog, type DomainEvent, type EventLog } from '../../src/entries/logs.js'
import { addParty, makeNetwork } from '../../src/entries/network.js'
import type { Standby, StandbyOptions } from '../../src/entries/types.js'
import { keyPairFromSeed } from '../../src/testing/index.js'
import { engineLimits } from '../../src/engine/limits.js'
import { bank as app, Coin, MintCoin } from '../store/bank.js'

const key = keyPairFromSeed('8'.repeat(64))
const leaseMs = 300

/** A way to the log that can be blocked, as when a process is stopped or cut off: nothing passes, nothing fails. */
const blockable = (log: EventLog): { readonly log: EventLog; block: () => void; unblock: () => void } => {
  let open: Promise<void> = Promise.resolve()
  let unblock: () => void = () => undefined
  return {
    log: {
      ...log,
      head: async () => open.then(() => log.head()),
      append: async (expected, tick) => open.then(() => log.append(expected, tick)),
      read: (from) => log.read(from),
      follow: (from, signal) => log.follow(from, signal),
      close: () => log.close(),
    },
    block: () => {
      open = new Promise((resolve) => (unblock = resolve))
    },
    unblock: () => unblock(),
  }
}

const until = async (what: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
  const end = performance.now() + 20_000
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`never came true: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

describe('Processes of one node on a shared log', () => {
  let shared: MemoryLog
  const processes: Standby[] = []

  const start = async (options: Partial<StandbyOptions> = {}): Promise<Standby> => {
    const standby = await standBy({ app, key, log: shared.another(), leaseMs, ...options })
    processes.push(standby)
    return standby
  }
  const events = async (): Promise<readonly DomainEvent[]> => {
    const found: DomainEvent[] = []
    for await (const tick of shared.read(0))
      for (const [index, line] of tick.events.entries()) found.push(decodeEvent(line, tick.firstRevision + index))
    return found
  }
  const starts = async () => (await events()).filter((event) => event.type === 'NodeStarted')

  beforeEach(() => {
    shared = new MemoryLog()
  })

  afterEach(async () => {
    for (const standby of processes.splice(0)) await standby.stop()
  })

  for (const [call, answer] of [
    ['head', 'is answered'],
    ['append', 'is answered'],
    ['head', 'is never answered'],
    ['append', 'is never answered'],
  ] as const)
    it(`stop when they are told to while they begin to lead, in the midst of ${call}, which ${answer}`, async () => {
      const first = await start()
      await first.leading()
      const way = shared.another()
      let isHeld = false
      let goOn: () => void = () => undefined
      let reached: () => void = () => undefined
      const isReached = new Promise<void>((resolve) => (reached = resolve))
      const held = new Promise<void>((resolve) => (goOn = resolve))
      const hold = async (name: string): Promise<void> => {
        if (!isHeld || name !== call) return
        reached()
        await held
      }
      const log: EventLog = {
        head: async () => hold('head').then(() => way.head()),
        append: async (expected, tick) => hold('append').then(() => way.append(expected, tick)),
        read: (from) => way.read(from),
        follow: (from, signal) => way.follow(from, signal),
        close: () => way.close(),
      }
      const failures: Error[] = []
      const second = await start({ log, onFailure: (error) => void failures.push(error) })
      isHeld = true
      await first.stop()
      await isReached
      const askedAt = performance.now()
      const stopping = second.stop()
      if (answer === 'is answered') goOn()
      await stopping
      expect(performance.now() - askedAt).to.be.lessThan(engineLimits.finalEventsMs + 1_000)
      expect(second.role).to.equal('following')
      expect(failures).to.deep.equal([])
      const last = await start()
      await last.leading()
    })

  it('have one leader; the others follow with views that are up to date', async () => {
    const first = await start()
    const node = await first.leading()
    const second = await start()
    await node.run(MintCoin, { value: 7 })
    await new Promise((resolve) => setTimeout(resolve, leaseMs * 2))
    expect([first.role, second.role]).to.deep.equal(['leading', 'following'])
    expect(await starts()).to.have.length(1)
    expect((await events()).filter(({ type }) => type === 'LeaseRenewed').length, 'renewals').to.be.greaterThan(2)
    expect((await starts())[0]).to.deep.include({ term: 1, reason: 'start', leaseMs })
  })

  it('go on at once when the leader stops in good order, and that is a takeover', async () => {
    const first = await start({ leaseMs: 60_000 })
    await (await first.leading()).run(MintCoin, { value: 1 })
    const second = await start({ leaseMs: 60_000 })
    const third = await start({ leaseMs: 60_000 })
    await first.stop()
    const node = await Promise.race([second.leading(), third.leading()])
    expect((await node.states(Coin)).map(({ data }) => data.value)).to.deep.equal([1])
    expect((await starts()).map((event) => [event.term, event.reason])).to.deep.equal([
      [1, 'start'],
      [2, 'takeover'],
    ])
  })

  it('replace a leader that hangs within the lease; its next append is refused, and it follows', async () => {
    const way = blockable(shared.another())
    const first = await start({ log: way.log })
    const old = await first.leading()
    await old.run(MintCoin, { value: 1 })
    const second = await start()
    way.block()
    const lost = old.run(MintCoin, { value: 2 }).then(
      () => 'fulfilled',
      (error: unknown) => (error as CarillonError).code,
    )
    const blockedAt = performance.now()
    const node = await second.leading()
    expect(performance.now() - blockedAt).to.be.lessThan(leaseMs * 3)
    await node.run(MintCoin, { value: 3 })
    way.unblock()
    expect(await lost, 'was never acknowledged').to.equal('log-revision-conflict')
    await until('the old leader follows', () => first.role === 'following')
    await node.run(MintCoin, { value: 4 })
    expect((await node.states(Coin)).map(({ data }) => data.value)).to.deep.equal([1, 3, 4])
    await second.stop()
    const again = await first.leading()
    expect((await again.states(Coin)).map(({ data }) => data.value)).to.deep.equal([1, 3, 4])
    const folded = await foldLog(shared.read(0))
    await again.idle()
    expect(await again.viewsDigest()).to.equal(digestViews(folded))
    folded.close()
  })

  it('count the start of all of them as a start of the node, after its lease', async () => {
    const first = await start()
    await (await first.leading()).run(MintCoin, { value: 1 })
    // As after kill -9: nothing is said, and nobody is there.
    await first.node!.crash()
    const second = await start()
    expect(second.role).to.equal('following')
    await second.leading()
    expect((await starts()).map(({ reason }) => reason)).to.deep.equal(['start', 'start'])
  })

  it('let one lead when several want to at the same moment', async () => {
    const many = await Promise.all(Array.from({ length: 4 }, () => start()))
    await Promise.race(many.map((standby) => standby.leading()))
    await new Promise((resolve) => setTimeout(resolve, leaseMs * 2))
    expect(many.filter(({ role }) => role === 'leading')).to.have.length(1)
    expect(await starts()).to.have.length(1)
  })

  it('refuse a lease that could not be kept, and a log of their own', async () => {
    const codeOf = (work: Promise<unknown>) => work.catch((error: unknown) => (error as CarillonError).code)
    expect(await codeOf(standBy({ app, log: shared.another(), leaseMs: 10 }))).to.equal('definition-invalid')
    const other = keyPairFromSeed('9'.repeat(64))
    await (await start()).leading()
    expect(await codeOf(standBy({ app, key: other, log: shared.another(), leaseMs }))).to.equal('store-foreign')
  })

  it('go by the newest map of their network when they take over, although they were started with an older one', async () => {
    const scratch = mkdtempSync(join(tmpdir(), 'carillon-standby-'))
    try {
      const { folder } = await makeNetwork(join(scratch, 'local'), { members: [{ name: 'Alice' }] })
      const networkFolder = join(folder, 'Alice')
      const inFolder = async (name: string): Promise<Standby> => {
        const standby = await standBy({
          ...{ app, log: shared.another(), leaseMs, networkFolder },
          store: join(scratch, name),
        })
        processes.push(standby)
        return standby
      }
      const first = await inFolder('one')
      const node = await first.leading()
      const second = await inFolder('two')
      await addParty(folder, { name: 'Bob' })
      await until('the leader goes by map 2', () => node.network.party('Bob') !== undefined)
      await first.stop()
      expect((await second.leading()).network.party('Bob')?.name).to.equal('Bob')
      expect((await starts()).map(({ map }) => map?.serial)).to.deep.equal([1, 2])
    } finally {
      for (const standby of processes.splice(0)) await standby.stop()
      rmSync(scratch, { recursive: true, force: true })
    }
  })
})
