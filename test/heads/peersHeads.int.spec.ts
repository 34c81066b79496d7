/** What parties that talk with each other promise about their logs: each keeps the newest checkpoint of the other's. */
import { expect } from 'chai'
import { CarillonError, instant, toMillis } from '../../src/index.js'
import { verifyLog, type EncodedTick, type EventOf } from '../../src/entries/logs.js'
import { isNewerCheckpoint, signCheckpoint, verifyCheckpoint, type Checkpoint } from '../../src/log/Checkpoint.js'
import { emptyRange } from '../../src/encoding/MountainRange.js'
import { sha256 } from '../../src/encoding/hash.js'
import { backupLimits } from '../../src/backup/limits.js'
import { EmbeddedStore } from '../../src/storage/EmbeddedStore.js'
import { decodedEvents } from '../../src/history/foldLog.js'
import { openOfflineTick } from '../../src/folder/OfflineOperator.js'
import { keyPairFromSeed, VirtualNetwork, type VirtualNetworkOptions } from '../../src/testing/index.js'
import { app, Lend } from '../session/iou.js'

const seed = 'checkpoints'
const dueAt = instant('2027-01-01T00:00:00Z')

const start = (options: Partial<VirtualNetworkOptions> = {}): Promise<VirtualNetwork> =>
  VirtualNetwork.start({
    parties: { Ann: { app }, Ben: { app }, Cleo: { app }, Notary: { app, notary: 'validating' } },
    seed,
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

const receivedBy = async (network: VirtualNetwork, name: string): Promise<readonly EventOf<'CheckpointReceived'>[]> =>
  (await ticksOf(network, name)).flatMap((tick) =>
    decodedEvents(tick).filter((event): event is EventOf<'CheckpointReceived'> => event.type === 'CheckpointReceived'),
  )

/** The checkpoints that a party sends of its own log from now on. */
const sentBy = (network: VirtualNetwork, name: string): readonly Checkpoint[] => {
  const sent: Checkpoint[] = []
  network.transport.watch((from, envelope) => {
    if (from === network.party(name).key && envelope.kind === 'checkpoint') sent.push(envelope.checkpoint)
  })
  return sent
}

/** The key of a party, as the network makes it. */
const keyOf = (name: string) => keyPairFromSeed(sha256(`key of ${name} ${seed}`))

/** The revision at which `keeper` keeps the log of `of`. */
const keptBy = (network: VirtualNetwork, keeper: string, of: string): number | undefined =>
  network
    .inspect(keeper)
    .keptCheckpoints()
    .find(({ party }) => party.name === of)?.checkpoint.revision

const revisionOf = async (network: VirtualNetwork, name: string): Promise<number> =>
  (await network.inspect(name).log()).length - 1

describe('Checkpoints between parties', () => {
  it('are kept by those who talk with each other, a minute after something was recorded, and by nobody else', async () => {
    const network = await start()
    await lend(network)
    const before = await revisionOf(network, 'Ann')
    await network.advanceBy({ seconds: backupLimits.checkpointMs / 1_000 - 1 })
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
    const kept = await receivedBy(network, 'Ben')
    expect(kept.filter(({ party }) => party.name === 'Ann')).to.have.lengthOf(3)
    expect(
      network
        .inspect('Ben')
        .keptCheckpoints()
        .map(({ party }) => party.name),
    ).to.deep.equal(['Ann'])
  })

  it('are not told about checkpoints: a network in which nothing happens is silent', async () => {
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
    network.transport.watch((_, { kind }) => (sent += kind.startsWith('checkpoint') ? 1 : 0))
    await network.advanceBy({ hours: 3 })
    expect(sent).to.be.at.most(backupLimits.headSends)
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
    expect(keptBy(network, 'Ben', 'Ann')).to.equal(await revisionOf(network, 'Ann'))
  })

  it('arrive over a network that loses, doubles and reorders', async () => {
    const weather = { minLatencyMs: 5, maxLatencyMs: 3_000, loss: 0.3, duplication: 0.3 }
    const network = await start({ weather })
    const sent = sentBy(network, 'Ann')
    await lend(network)
    await network.advanceBy({ minutes: 30 })
    expect(sent).to.not.have.length(0)
    expect(keptBy(network, 'Ben', 'Ann')).to.equal(Math.max(...sent.map(({ revision }) => revision)))
  })

  it('are refused from whoever has not signed them, and never replaced by an older one', async () => {
    const network = await start()
    const sent = sentBy(network, 'Ann')
    for (const amount of [1, 2]) {
      await lend(network, amount)
      await network.advanceBy({ minutes: 2 })
    }
    const kept = keptBy(network, 'Ben', 'Ann')
    const before = await revisionOf(network, 'Ben')
    const [ann, notary] = ['Ann', 'Notary'].map((name) => network.transport.endpoint(network.party(name).key))
    const own = sent[0]!
    expect(own.revision).to.be.below(kept!)
    const mallory = keyPairFromSeed(sha256('mallory'))
    const far = { tick: 10_000, revision: 10_000, hash: sha256('something'), signature: '' }
    const forged = signCheckpoint(mallory, far, { network: network.map.id, range: emptyRange })
    const elsewhere = signCheckpoint(keyOf('Ann'), far, { network: sha256('another network'), range: emptyRange })
    expect([verifyCheckpoint(elsewhere), elsewhere.by]).to.deep.equal([true, network.party('Ann').key])
    const to = network.party('Ben').key
    notary!.send(to, [{ kind: 'checkpoint', checkpoint: own }])
    ann!.send(to, [{ kind: 'checkpoint', checkpoint: forged }])
    ann!.send(to, [{ kind: 'checkpoint', checkpoint: elsewhere }])
    ann!.send(to, [{ kind: 'checkpoint', checkpoint: { ...own, revision: 10_000 } }])
    ann!.send(to, [{ kind: 'checkpoint', checkpoint: own }])
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
      decodedEvents(tick).forEach((event, index) =>
        store.views.fold(event, tick.firstRevision + index, toMillis(tick.at)),
      )
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
      /^(Ann|Ben) keeps a checkpoint that this node has signed at revision \d+, and the log ends at revision \d+/,
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

  it('goes on when it was told to, and its peers keep its new checkpoints', async () => {
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
    const told = openOfflineTick(store, keyOf('Ann'))
    store.begin()
    told.emit({ type: 'RestoreAccepted', by: 'an operator', revision: store.head().revision, checkpoints: 0 })
    store.commit(told.seal())
    await network.restart('Ann', { store })
    await network.advanceBy({ minutes: 5 })
    expect(codeOf(network, 'Ann')).to.equal(undefined)
    expect(keptBy(network, 'Ben', 'Ann')).to.be.below(seen)
    expect(said.join('\n')).to.include('The log of Ann was continued from a copy')
    expect((await verifyLog(network.inspect('Ann').ticks())).problems).to.deep.equal([])
  })

  it('compares checkpoints by continuation and revision', () => {
    const key = keyPairFromSeed(sha256('a key'))
    const at = (revision: number, continuedAt?: string) =>
      signCheckpoint(
        key,
        { tick: revision, revision, hash: sha256(''), signature: '' },
        {
          network: sha256('a network'),
          range: emptyRange,
          ...(continuedAt === undefined ? {} : { continuedAt: instant(continuedAt) }),
        },
      )
    expect(isNewerCheckpoint(at(5), at(4))).to.equal(true)
    expect(isNewerCheckpoint(at(4), at(5))).to.equal(false)
    expect(isNewerCheckpoint(at(5), at(5))).to.equal(false)
    expect(isNewerCheckpoint(at(3, '2026-01-01T00:00:00.000Z'), at(5))).to.equal(true)
    expect(isNewerCheckpoint(at(5), at(3, '2026-01-01T00:00:00.000Z'))).to.equal(false)
    const checkpoint = at(3, '2026-01-01T00:00:00.000Z')
    expect(verifyCheckpoint(checkpoint)).to.equal(true)
    expect(verifyCheckpoint({ ...checkpoint, continuedAt: instant('2026-01-02T00:00:00.000Z') })).to.equal(false)
    expect(verifyCheckpoint({ ...checkpoint, network: sha256('another network') })).to.equal(false)
  })
})
