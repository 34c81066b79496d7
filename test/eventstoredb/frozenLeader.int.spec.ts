import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { standBy, startNode, type CarillonError, type Node } from '../../src/index.js'
import { BackOff } from '../../src/engine/BackOff.js'
import { engineLimits } from '../../src/engine/limits.js'
import { logLimits } from '../../src/log/limits.js'
import { emptyHead, headAfter, type EncodedTick, type Head } from '../../src/log/Tick.js'
import type { EventStoreDbLog } from '../../src/logs/eventstoredb/EventStoreDbLog.js'
import { keyPairFromSeed } from '../../src/testing/index.js'
import { ticksAfter } from '../log/conformance.js'
import { bank as app, MintCoin } from '../store/bank.js'
import { mint, until, values } from './mint.js'
import { itNeedsFaults, ServerUnderTest } from './serverUnderTest.js'

/** A tenth of the deadlines in earnest; only gossip and the wait between two tries take a second here as they do there. */
const quick = { answerMs: 1_000, proveMs: 200, idleMs: 500, checkMs: 60_000 }

/**
 * A passed deadline, a frozen server that is asked for gossip first, and a wait; in earnest that is below 20 seconds after
 * the freeze, and below 5 after the new leader. The later one counts.
 */
const afterFreezeMs = 4_000
const afterLeaderMs = 3_500

describe('A leader that accepts connections and says nothing', () => {
  let server: ServerUnderTest
  let folder: string
  let node: Node | undefined

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-frozen-'))
    server = await ServerUnderTest.start(3)
  })

  afterEach(async () => {
    await node?.crash()
    node = undefined
    await server.close()
    rmSync(folder, { recursive: true })
  })

  /** Appends as a node does that reads back what is not known. */
  const appendSurely = async (log: EventStoreDbLog, head: Head, tick: EncodedTick): Promise<void> => {
    for (;;) {
      const outcome = await log.append(head, tick)
      if (outcome.kind === 'appended') return
      expect(outcome.kind).to.not.equal('refused')
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  itNeedsFaults('is left after a passed deadline, and the new leader is found', async () => {
    const log = await server.open(quick)
    const [first, second, third] = ticksAfter(emptyHead, [1, 1, 1])
    await log.append(emptyHead, first!)
    server.cluster.freezeLeader()
    const frozenAt = performance.now()
    await server.cluster.replaceFrozen(1)
    await appendSurely(log, headAfter(first!), second!)
    expect(performance.now() - frozenAt).to.be.lessThan(afterFreezeMs)
    await appendSurely(log, headAfter(second!), third!)
    expect(await log.head()).to.deep.equal(headAfter(third!))
  })

  itNeedsFaults('is not gone back to while gossip still names it; the new leader is met soon', async () => {
    const log = await server.open(quick)
    const [first, second] = ticksAfter(emptyHead, [1, 1])
    await log.append(emptyHead, first!)
    server.cluster.freezeLeader()
    const appending = appendSurely(log, headAfter(first!), second!)
    // For three times the deadline nobody leads, and the frozen one is named.
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    const replacedAt = performance.now()
    await server.cluster.replaceFrozen(2)
    await appending
    expect(performance.now() - replacedAt).to.be.lessThan(afterLeaderMs)
  })

  itNeedsFaults('is noticed by a follower that has nothing to hear, and by one that was not confirmed', async () => {
    const [follower, writer] = [await server.open(quick), await server.open(quick)]
    const [first, second] = ticksAfter(emptyHead, [1, 1])
    await writer.append(emptyHead, first!)
    const abort = new AbortController()
    const followed: number[] = []
    const follow = async (): Promise<void> => {
      for await (const { number } of follower.follow(0, abort.signal)) followed.push(number)
    }
    const early = follow()
    await until('the first one is followed', () => followed.length === 1)
    server.cluster.freezeLeader()
    const late = follow()
    const frozenAt = performance.now()
    await server.cluster.replaceFrozen(1)
    await appendSurely(writer, headAfter(first!), second!)
    await until('both followers have the second', () => followed.filter((number) => number === 2).length === 2)
    expect(performance.now() - frozenAt).to.be.lessThan(afterFreezeMs + quick.idleMs)
    abort.abort()
    await Promise.all([early, late])
  })

  itNeedsFaults('does not keep a node from going on: nothing is lost, nothing is doubled', async () => {
    node = await startNode({ app, store: join(folder, 'node'), log: await server.open(quick) })
    await mint(node, 1)
    server.cluster.freezeLeader()
    const frozenAt = performance.now()
    const minting = node.run(MintCoin, { value: 2 })
    await server.cluster.replaceFrozen(1)
    await minting
    expect(performance.now() - frozenAt).to.be.lessThan(afterFreezeMs)
    await mint(node, 3)
    expect(await values(node)).to.deep.equal([1, 2, 3])
  })

  itNeedsFaults('is waited for when there is no other, and the node goes on when it thaws', async () => {
    const alone = await ServerUnderTest.start()
    node = await startNode({ app, store: join(folder, 'node'), log: await alone.open(quick) })
    await mint(node, 1)
    alone.cluster.servers[0]!.freeze()
    const minting = node.run(MintCoin, { value: 2 })
    await until('the node says so', () => node?.trouble?.code === 'log-unreachable')
    alone.cluster.servers[0]!.thaw()
    await minting
    expect(await values(node)).to.deep.equal([1, 2])
    await node.crash()
    node = undefined
    await alone.close()
  })

  itNeedsFaults('does not keep standbys from following: one of them leads when the node is gone', async () => {
    const key = keyPairFromSeed('9'.repeat(64))
    const leaseMs = 3_000
    const start = async (name: string) =>
      standBy({ app, store: join(folder, name), log: await server.open(quick), leaseMs, key })
    const first = await start('one')
    const leader = await first.leading()
    const second = await start('two')
    await mint(leader, 1)
    server.cluster.freezeLeader()
    await server.cluster.replaceFrozen(2)
    await mint(leader, 2)
    expect([first.role, second.role]).to.deep.equal(['leading', 'following'])
    await first.stop()
    const next = await second.leading()
    await mint(next, 3)
    expect(await values(next)).to.deep.equal([1, 2, 3])
    await second.stop()
  })

  itNeedsFaults('does not keep a follower, or a log that is closed, from ending at once', async () => {
    const log = await server.open()
    await log.append(emptyHead, ticksAfter(emptyHead, [1])[0]!)
    server.cluster.freezeLeader()
    const abort = new AbortController()
    const following = (async () => {
      for await (const tick of log.follow(0, abort.signal)) expect(tick.number).to.equal(1)
    })()
    const asking = log.head().catch((error: unknown) => (error as CarillonError).code)
    await new Promise((resolve) => setTimeout(resolve, 50))
    const askedAt = performance.now()
    abort.abort()
    await following
    await log.close()
    expect(await asking).to.equal('node-stopped')
    expect(performance.now() - askedAt).to.be.lessThan(500)
  })

  /** With the deadlines in earnest: what a stop waits for is for its last events to be written. */
  const stopBoundMs = engineLimits.finalEventsMs + 1_000

  itNeedsFaults('does not keep a node from stopping', async () => {
    node = await startNode({ app, store: join(folder, 'node'), log: server.url() })
    await mint(node, 1)
    server.cluster.freezeLeader()
    node.run(MintCoin, { value: 2 }).catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, 50))
    const askedAt = performance.now()
    await node.stop()
    expect(performance.now() - askedAt).to.be.lessThan(stopBoundMs)
  })

  itNeedsFaults('does not keep processes of a node from stopping, whether they lead or follow', async () => {
    const key = keyPairFromSeed('9'.repeat(64))
    const failures: Error[] = []
    const start = (name: string) =>
      standBy({
        ...{ app, store: join(folder, name), log: server.url(), leaseMs: 1_000, key },
        onFailure: (error) => void failures.push(error),
      })
    const leader = await start('one')
    await mint(await leader.leading(), 1)
    const follower = await start('two')
    server.cluster.freezeLeader()
    // Longer than the lease: the follower wants to lead by now, and asks in vain.
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    for (const [standby, boundMs] of [
      [follower, 500],
      [leader, stopBoundMs],
    ] as const) {
      const askedAt = performance.now()
      await standby.stop()
      expect(performance.now() - askedAt).to.be.lessThan(boundMs)
    }
    expect(failures).to.deep.equal([])
  })

  itNeedsFaults('is left for the new leader within 5 seconds, with the deadlines in earnest', async function () {
    this.timeout(60_000)
    const log = await server.open()
    const ticks = ticksAfter(emptyHead, [1, 1, 1])
    await log.append(emptyHead, ticks[0]!)
    const backOff = new BackOff(logLimits.logReadBackFirstMs, logLimits.logFollowLongestMs)
    // As the store of a node does: what is not known is read back, and tried again.
    const appendAsNode = async (head: Head, tick: EncodedTick): Promise<void> => {
      for (;;) {
        const outcome = await log.append(head, tick)
        if (outcome.kind === 'appended') return
        await new Promise((resolve) => setTimeout(resolve, backOff.next()))
        if ((await log.head().catch(() => undefined))?.hash === tick.hash) return
      }
    }
    server.cluster.freezeLeader()
    const appending = appendAsNode(headAfter(ticks[0]!), ticks[1]!)
    // Gossip names the frozen one for longer than a deadline.
    await new Promise((resolve) => setTimeout(resolve, 13_000))
    const replacedAt = performance.now()
    await server.cluster.replaceFrozen(1)
    await appending
    expect(performance.now() - replacedAt).to.be.lessThan(5_000)
  })

  itNeedsFaults(
    'is not the only reason to subscribe again: a subscription may be forgotten by the server',
    async () => {
      const [follower, writer] = [await server.open(quick), await server.open(quick)]
      const [first, second] = ticksAfter(emptyHead, [1, 1])
      await writer.append(emptyHead, first!)
      const abort = new AbortController()
      const followed: number[] = []
      const following = (async () => {
        for await (const { number } of follower.follow(0, abort.signal)) followed.push(number)
      })()
      await until('the first one is followed', () => followed.length === 1)
      server.cluster.servers[0]!.forgetSubscriptions()
      await writer.append(headAfter(first!), second!)
      await until('the second one is followed', () => followed.length === 2)
      abort.abort()
      await following
      expect(followed).to.deep.equal([1, 2])
    },
  )
})
