/** What parties that talk with each other promise about their logs: each keeps the newest signed head of the other's. */
import { expect } from 'chai'
import { CarillonError, instant, toMillis, verifyLog, type EncodedTick, type EventOf } from '../../src/index.js'
import { isNewerCheckpoint, signCheckpoint, verifyCheckpoint } from '../../src/heads/Checkpoint.js'
import { emptyRange } from '../../src/encoding/MountainRange.js'
import { sha256 } from '../../src/encoding/hash.js'
import { limits } from '../../src/limits.js'
import { EmbeddedStore } from '../../src/node/EmbeddedStore.js'
import { eventsOf } from '../../src/node/logTools/foldLog.js'
import { openOfflineTick } from '../../src/node/OfflineOperator.js'
import { keyPairFromSeed, VirtualNetwork, type VirtualNetworkOptions } from '../../src/testing/index.js'
import { app, Lend } from '../session/iou.js'

const dueAt = instant('2027-01-01T00:00:00Z')

const start = (options: Partial<VirtualNetworkOptions> = {}): Promise<VirtualNetwork> =>
  VirtualNetwork.start({
    parties: { Ann: { app }, Ben: { app }, Cleo: { app }, Notary: { app, notary: 'validating' } },
    ...options,
  })

const lend = async (network: VirtualNetwork, amount = 5): Promise<void> => {
  await network.node('Ann').start(Lend, { borrower: network.party('Ben'), amount, dueAt })
  await network.runUntilQuiet()
}

/** A debt that is called in by now, which takes the notary. */
const lendAndCallIn = async (network: VirtualNetwork): Promise<void> => {
  await network.node('Ann').start(Lend, { borrower: network.party('Ben'), amount: 5, dueAt: network.now })
  await network.advanceBy({ minutes: 2 })
}

const ticksOf = async (network: VirtualNetwork, name: string): Promise<readonly EncodedTick[]> => {
  const ticks: EncodedTick[] = []
  for await (const tick of network.inspect(name).ticks()) ticks.push(tick)
  return ticks
}

const eventsIn = async (network: VirtualNetwork, name: string, type: 'HeadSigned' | 'CheckpointReceived') =>
  (await ticksOf(network, name)).flatMap((tick) => eventsOf(tick).filter((event) => event.type === type))

/** The revision at which `keeper` keeps the log of `of`. */
const keptBy = (network: VirtualNetwork, keeper: string, of: string): number | undefined =>
  network
    .inspect(keeper)
    .keptCheckpoints()
    .find(({ party }) => party.name === of)?.head.revision

const revisionOf = async (network: VirtualNetwork, name: string): Promise<number> =>
  (await network.inspect(name).log()).length - 1

describe('Signed heads between parties', () => {
  it('are kept by those who talk with each other, a minute after something was recorded, and by nobody else', async () => {
    const network = await start()
    await lend(network)
    const before = await revisionOf(network, 'Ann')
    await network.advanceBy({ seconds: limits.checkpointMs / 1_000 - 1 })
    expect(keptBy(network, 'Ben', 'Ann')).to.equal(undefined)
    await network.advanceBy({ seconds: 1 })
    expect(keptBy(network, 'Ben', 'Ann')).to.be.at.least(before)
    expect(keptBy(network, 'Ann', 'Ben')).to.be.a('number')
    expect(network.inspect('Cleo').keptCheckpoints(), 'who talks with nobody').to.deep.equal([])
    expect(network.inspect('Notary').keptCheckpoints()).to.deep.equal([])
    for (const name of network.names)
      expect((await verifyLog(network.inspect(name).ticks(), { decode: true })).problems).to.deep.equal([])
  })

  it('are the newest and no more, however many were sent', async () => {
    const network = await start()
    for (const amount of [1, 2, 3]) {
      await lend(network, amount)
      await network.advanceBy({ minutes: 2 })
    }
    const kept = (await eventsIn(network, 'Ben', 'CheckpointReceived')) as readonly EventOf<'CheckpointReceived'>[]
    expect(kept.filter(({ party }) => party.name === 'Ann')).to.have.lengthOf(3)
    expect(
      network
        .inspect('Ben')
        .keptCheckpoints()
        .map(({ party }) => party.name),
    ).to.deep.equal(['Ann', 'Ben'])
  })

  it('are not told about heads: a network in which nothing happens is silent', async () => {
    const network = await start()
    await lend(network)
    await network.advanceBy({ hours: 1 })
    let sent = 0
    network.transport.watch(() => (sent += 1))
    const before = await Promise.all(network.names.map((name) => revisionOf(network, name)))
    await network.advanceBy({ days: 30 })
    expect(sent).to.equal(0)
    expect(await Promise.all(network.names.map((name) => revisionOf(network, name)))).to.deep.equal(before)
  })

  it('are sent a few times to one that is down, and when it is heard of again', async () => {
    const network = await start()
    await lend(network)
    await network.crash('Ben')
    let sent = 0
    network.transport.watch((_, { kind }) => (sent += kind.startsWith('head') ? 1 : 0))
    await network.advanceBy({ hours: 3 })
    expect(sent).to.be.at.most(limits.headSends)
    expect(keptBy(network, 'Ben', 'Ann')).to.equal(undefined)
    await network.restart('Ben')
    await network.runUntilQuiet()
    await network.advanceBy({ minutes: 2 })
    expect(keptBy(network, 'Ben', 'Ann')).to.be.a('number')
  })

  it('hold the stop of a node too', async () => {
    const network = await start()
    await lend(network)
    await network.stop('Ann')
    await network.runUntilQuiet()
    // The head before the tick that holds it and the stop.
    expect(keptBy(network, 'Ben', 'Ann')).to.equal((await revisionOf(network, 'Ann')) - 2)
  })

  it('arrive over a network that loses, doubles and reorders', async () => {
    const weather = { minLatencyMs: 5, maxLatencyMs: 3_000, loss: 0.3, duplication: 0.3 }
    const network = await start({ weather })
    await lend(network)
    await network.advanceBy({ minutes: 30 })
    const signed = ((await eventsIn(network, 'Ann', 'HeadSigned')) as readonly EventOf<'HeadSigned'>[]).at(-1)
    expect(keptBy(network, 'Ben', 'Ann')).to.equal(signed?.revision)
  })

  it('are refused from whoever has not signed them, and never replaced by an older one', async () => {
    const network = await start()
    await lend(network)
    await network.advanceBy({ minutes: 2 })
    const kept = keptBy(network, 'Ben', 'Ann')
    const before = await revisionOf(network, 'Ben')
    const [ann, notary] = ['Ann', 'Notary'].map((name) => network.transport.endpoint(network.party(name).key))
    const [own] = (await eventsIn(network, 'Ann', 'HeadSigned')) as readonly EventOf<'HeadSigned'>[]
    const mallory = keyPairFromSeed(sha256('mallory'))
    const hash = sha256('something')
    const forged = signCheckpoint(mallory, { tick: 10_000, revision: 10_000, hash }, { range: emptyRange })
    const to = network.party('Ben').key
    notary!.send(to, [{ kind: 'head', head: own! }])
    ann!.send(to, [{ kind: 'head', head: forged }])
    ann!.send(to, [{ kind: 'head', head: { ...own!, revision: 10_000 } }])
    ann!.send(to, [{ kind: 'head', head: own! }])
    await network.runUntilQuiet()
    expect(keptBy(network, 'Ben', 'Ann')).to.equal(kept)
    expect(await revisionOf(network, 'Ben')).to.equal(before)
  })
})

describe('A node whose log has lost what others have seen', () => {
  /** A store that holds the first ticks of a party's log and no more. */
  const earlier = async (network: VirtualNetwork, name: string, count: number): Promise<EmbeddedStore> => {
    const store = EmbeddedStore.inMemory()
    for (const tick of (await ticksOf(network, name)).slice(0, count)) {
      store.begin()
      eventsOf(tick).forEach((event, index) => store.views.fold(event, tick.firstRevision + index, toMillis(tick.at)))
      expect(store.commit(tick).kind).to.equal('appended')
    }
    return store
  }

  const codeOf = (network: VirtualNetwork, name: string): string | undefined => {
    const failure = network.failure(name)
    return failure instanceof CarillonError ? failure.code : failure?.message
  }

  it('stops by itself, whoever started it, and says who has seen what', async () => {
    const network = await start()
    await lendAndCallIn(network)
    const count = (await ticksOf(network, 'Notary')).length
    await lendAndCallIn(network)
    await network.crash('Notary')
    await network.restart('Notary', { store: await earlier(network, 'Notary', count) })
    await network.runUntilQuiet()
    expect(codeOf(network, 'Notary')).to.equal('head-contradicted')
    expect(network.failure('Notary')?.message).to.match(
      /^(Ann|Ben) keeps a head that this node has signed at revision \d+, and the log ends at revision \d+/,
    )
  })

  it('stops too when it has gone on and holds something else there', async () => {
    const network = await start()
    await lend(network)
    await network.advanceBy({ minutes: 2 })
    const count = (await ticksOf(network, 'Ann')).length
    for (let amount = 6; amount < 10; amount++) await lend(network, amount)
    await network.advanceBy({ minutes: 2 })
    const seen = keptBy(network, 'Ben', 'Ann')!
    await network.crash('Ann')
    network.partition(['Ann', 'Cleo'], ['Ben', 'Notary'])
    await network.restart('Ann', { store: await earlier(network, 'Ann', count) })
    for (let drain = 0; (await revisionOf(network, 'Ann')) <= seen; drain++)
      await (drain % 2 === 0 ? network.node('Ann').drain() : network.node('Ann').endDraining())
    expect(codeOf(network, 'Ann')).to.equal(undefined)
    await network.advanceBy({ minutes: 5 })
    network.heal()
    await network.node('Ben').start(Lend, { borrower: network.party('Ann'), amount: 7, dueAt })
    await network.advanceBy({ minutes: 5 })
    expect(codeOf(network, 'Ann')).to.equal('head-contradicted')
    expect(network.failure('Ann')?.message).to.include('holds something else there')
  })

  it('goes on when it was told to, and its peers keep its new heads', async () => {
    const said: string[] = []
    const logger = { info: () => undefined, error: () => undefined, warn: (line: string) => void said.push(line) }
    const network = await start({ logger })
    await lend(network)
    await network.advanceBy({ minutes: 2 })
    const count = (await ticksOf(network, 'Ann')).length
    await lend(network, 6)
    await network.advanceBy({ minutes: 2 })
    const seen = keptBy(network, 'Ben', 'Ann')!
    await network.crash('Ann')
    const store = await earlier(network, 'Ann', count)
    const told = openOfflineTick(store)
    store.begin()
    told.emit({ type: 'RestoreAccepted', by: 'an operator', revision: store.head().revision, heads: 0 })
    store.commit(told.seal())
    await network.restart('Ann', { store })
    await network.advanceBy({ minutes: 5 })
    expect(codeOf(network, 'Ann')).to.equal(undefined)
    expect(keptBy(network, 'Ben', 'Ann')).to.be.below(seen)
    expect(said.join('\n')).to.include('The log of Ann has gone on from a copy')
    expect((await verifyLog(network.inspect('Ann').ticks())).problems).to.deep.equal([])
  })

  it('compares heads by stretch and revision', () => {
    const key = keyPairFromSeed(sha256('a key'))
    const at = (revision: number, continuedAt?: string) =>
      signCheckpoint(
        key,
        { tick: revision, revision, hash: sha256('') },
        { range: emptyRange, ...(continuedAt === undefined ? {} : { continuedAt: instant(continuedAt) }) },
      )
    expect(isNewerCheckpoint(at(5), at(4))).to.equal(true)
    expect(isNewerCheckpoint(at(4), at(5))).to.equal(false)
    expect(isNewerCheckpoint(at(5), at(5))).to.equal(false)
    expect(isNewerCheckpoint(at(3, '2026-01-01T00:00:00.000Z'), at(5))).to.equal(true)
    expect(isNewerCheckpoint(at(5), at(3, '2026-01-01T00:00:00.000Z'))).to.equal(false)
    const head = at(3, '2026-01-01T00:00:00.000Z')
    expect(verifyCheckpoint(head)).to.equal(true)
    expect(verifyCheckpoint({ ...head, continuedAt: instant('2026-01-02T00:00:00.000Z') })).to.equal(false)
  })
})
