/** What finality promises about history: each transaction is verified once, in bounded ticks, however long it is. */
import { expect } from 'chai'
import { showRef, type Party, type StateRef } from 'carillon'
import type { NotaryKind } from 'carillon/network'
import { VirtualNetwork, type Weather } from 'carillon/testing'
import { engineLimits } from '../../src/engine/limits.js'
import { finalityLimits } from '../../src/finality/limits.js'
import { logLimits } from '../../src/log/limits.js'
import { app, forgetful, Grow, Link, Share, Touch } from './chain.js'

const start = (seed: string, weather?: Weather, kind: NotaryKind = 'nonValidating') =>
  VirtualNetwork.start({
    parties: { Alice: { app }, Bob: { app }, Carol: { app }, Notary: { app, notary: kind } },
    seed,
    development: false,
    ...(weather === undefined ? {} : { weather }),
  })

const grow = async (network: VirtualNetwork, steps: number, from: StateRef | null = null): Promise<StateRef> => {
  let last = from
  for (let grown = 0; grown < steps; grown += 500) {
    const input = { from: last, steps: Math.min(500, steps - grown), notary: network.party('Notary') }
    const handle = await network.node('Alice').start(Grow, input)
    await network.advanceBy({ minutes: 5 })
    last = await handle.result()
  }
  if (last === null) throw new Error('nothing grew')
  return last
}

type Terms = {
  readonly signers?: readonly Party[]
  readonly observers?: readonly Party[]
  readonly others?: readonly Party[]
}

const share = async (
  network: VirtualNetwork,
  links: readonly StateRef[],
  { signers = [], observers = [], others = [] }: Terms,
) => {
  const participants = [...signers, ...others]
  return network.node('Alice').start(Share, { links, signers, participants, observers, dueAt: null })
}

/** How often each transaction was recorded by a node, and the bytes of its largest tick. */
const recordedBy = async (network: VirtualNetwork, name: string) => {
  const counts = new Map<string, number>()
  let largestTick = 0
  for await (const { events } of network.node(name).readLog()) {
    largestTick = Math.max(largestTick, Buffer.byteLength(events.join('')))
    for (const line of events) {
      if (!line.includes('"type":"TransactionRecorded"')) continue
      const { id } = JSON.parse(line) as { readonly id: string }
      counts.set(id, (counts.get(id) ?? 0) + 1)
    }
  }
  return { counts, largestTick }
}

/** Kills a node as soon as it has recorded an event of a kind, in the midst of whatever it is doing. */
const killAfter = (network: VirtualNetwork, name: string, type: string): (() => Promise<boolean>) => {
  let killed: Promise<void> | undefined
  const unfollow = network.node(name).follow(({ events }) => {
    if (killed === undefined && events.some((event) => event.type === type)) killed = network.crash(name)
  })
  return async () => {
    unfollow()
    await killed
    return killed !== undefined
  }
}

describe('The history of a shared transaction', () => {
  let network: VirtualNetwork
  let old: StateRef
  let shared: StateRef

  before(async function () {
    network = await start('long')
    old = await grow(network, 3)
    shared = await grow(network, 2_000)
  })

  it('of 2,000 beats is verified once each, in bounded ticks, whichever side crashes in the middle', async () => {
    network.transport.weather = { minLatencyMs: 20, maxLatencyMs: 60, loss: 0.1, duplication: 0.1 }
    const { id } = await share(network, [shared], { signers: [network.party('Bob')] })
    const held: number[] = []
    for (const [name, type] of [
      ['Alice', 'MessageSent'],
      ['Bob', 'TransactionRecorded'],
      ['Bob', 'TransactionRecorded'],
      ['Alice', 'MessageAcknowledged'],
    ] as const) {
      const wasKilled = killAfter(network, name, type)
      await network.advanceBy({ minutes: 2 })
      expect(await wasKilled(), `${name} was killed`).to.equal(true)
      await network.restart(name)
      held.push((await recordedBy(network, 'Bob')).counts.size)
    }
    await network.advanceBy({ minutes: 20 })
    shared = (await network.node('Alice').resultOf(id)) as StateRef
    const { counts, largestTick } = await recordedBy(network, 'Bob')
    expect(counts.size).to.equal(2_001)
    expect(new Set(counts.values())).to.deep.equal(new Set([1]))
    expect(largestTick).to.be.at.most(engineLimits.tickBytes + logLimits.factBytes)
    expect(held[1], held.join(' ')).to.be.within(1, 1_999)
    expect(held[2], held.join(' ')).to.be.greaterThan(held[1] ?? 0)
    expect((await network.node('Bob').states(Link)).map((state) => showRef(state.ref))).to.deep.equal([showRef(shared)])
  })

  it('is sent on every branch, also on one older than all that the other party knows of the first', async () => {
    const latest = await share(network, [shared, old], { signers: [network.party('Bob')] })
    await network.advanceBy({ minutes: 5 })
    const ref = await latest.result()
    expect((await network.node('Bob').state(Link, ref))?.ref).to.deep.equal(ref)
    expect(new Set((await recordedBy(network, 'Bob')).counts.values())).to.deep.equal(new Set([1]))
  })
})

describe('What a party lacks of a history', () => {
  it('is found out in a few steps where that is little, and in ever longer ones where it is much', async () => {
    const network = await start('lacking', undefined, 'validating')
    /** How many transactions Alice has asked others about, message by message. */
    const asked = async (): Promise<readonly number[]> => {
      const counts: number[] = []
      for await (const { events } of network.node('Alice').readLog())
        for (const line of events) {
          const { type, message } = JSON.parse(line) as {
            readonly type: string
            readonly message?: { readonly payload?: { readonly type?: string; readonly ids?: readonly string[] } }
          }
          if (type === 'MessageSent' && message?.payload?.type === 'ancestors')
            counts.push(message.payload.ids?.length ?? 0)
        }
      return counts
    }
    // A validating notary lacks the last transaction of a chain whenever it is asked about the next.
    const link = await grow(network, 100)
    const little = await asked()
    expect(little).to.have.length(99)
    expect(Math.max(...little)).to.equal(finalityLimits.historyFirstWalk)
    await share(network, [link], { signers: [network.party('Bob')] })
    await network.advanceBy({ minutes: 5 })
    expect((await network.node('Bob').states(Link)).map(({ data }) => data.count)).to.deep.equal([100])
    expect((await asked()).slice(99, 102)).to.deep.equal([16, 64, 20])
  })
})

describe('A final transaction', () => {
  it('is not made when a signer refuses, and its states can still be consumed', async () => {
    const network = await start('refusal')
    const link = await grow(network, 13)
    const refused = await share(network, [link], { signers: [network.party('Bob')] })
    await network.advanceBy({ minutes: 1 })
    const failure: unknown = await refused.result().catch((error: unknown) => error)
    expect(failure).to.have.property('code', 'signature-refused')
    expect(failure).to.have.nested.property('details.reason', 'thirteen brings bad luck')
    const next = await grow(network, 1, link)
    expect((await network.node('Alice').states(Link)).map((state) => state.ref)).to.deep.equal([next])
  })

  it('reaches participants without a session, and observers, for whom nothing is relevant and nothing fires', async () => {
    const network = await start('observers')
    const dueAt = network.now
    const signers = [network.party('Bob')]
    const observers = [network.party('Carol')]
    const handle = await network
      .node('Alice')
      .start(Share, { links: [], signers, participants: signers, observers, dueAt })
    await network.advanceBy({ hours: 1 })
    const ref = await handle.result()
    for (const name of ['Alice', 'Bob', 'Carol']) {
      const { items } = await network.node(name).queryVault({ type: Link.type, includeIrrelevant: true })
      expect(items[0]?.ref, name).to.deep.equal(ref)
      expect(items[0]?.relevant, name).to.equal(name !== 'Carol')
      const touched = (await network.node(name).flows({ name: Touch.name })).items
      expect(touched, name).to.have.lengthOf(name === 'Carol' ? 0 : 1)
    }
    expect((await network.node('Carol').why(ref)).now).to.contain('not relevant')
  })

  it('is recorded by a party that was down meanwhile, and keeps nobody else waiting', async () => {
    const network = await start('down')
    await network.crash('Carol')
    const signers = [network.party('Bob')]
    const { id } = await share(network, [await grow(network, 2)], { signers, observers: [network.party('Carol')] })
    await network.advanceBy({ hours: 1 })
    expect(await network.node('Bob').states(Link)).to.have.lengthOf(1)
    expect((await network.node('Alice').flow(id))?.waiting?.[0].for).to.equal('message')
    await network.crash('Alice')
    await network.restart('Alice')
    await network.restart('Carol')
    await network.advanceBy({ minutes: 5 })
    const ref = (await network.node('Alice').resultOf(id)) as StateRef
    expect((await network.node('Carol').state(Link, ref))?.ref).to.deep.equal(ref)
  })

  it('reaches a signer whose own flow has ended, failed or was killed after it signed', async () => {
    const network = await VirtualNetwork.start({
      parties: { Alice: { app }, Bob: { app: forgetful }, Notary: { app, notary: 'validating' } },
      seed: 'forgetful',
    })
    const handle = await share(network, [await grow(network, 2)], { signers: [network.party('Bob')] })
    await network.advanceBy({ minutes: 5 })
    const ref = await handle.result()
    expect((await network.node('Bob').states(Link)).map((state) => state.ref)).to.deep.equal([ref])
  })
})

describe('A party that is the notary of what it signs', () => {
  it('signs only one of two transactions that consume the same state', async () => {
    const network = await VirtualNetwork.start({
      parties: { Alice: { app }, Notary: { app, notary: 'validating' } },
      seed: 'notary signs',
    })
    const link = await grow(network, 2)
    const rivals = [
      await share(network, [link], { signers: [network.party('Notary')] }),
      await share(network, [link], { signers: [network.party('Notary')] }),
    ]
    await network.advanceBy({ minutes: 5 })
    const ends = await Promise.all(
      rivals.map(({ id }) =>
        network
          .node('Alice')
          .resultOf(id)
          .then(() => 'shared')
          .catch((error: unknown) => (error as { readonly details: Record<string, unknown> }).details['code']),
      ),
    )
    expect(ends).to.have.members(['shared', 'state-consumed'])
    // Its signature is its word as notary too: the loser must never get hold of one.
    let signatures = 0
    for await (const { events } of network.node('Notary').readLog())
      signatures += events.filter(
        (line) => line.includes('"MessageSent"') && line.includes('"type":"signature"'),
      ).length
    expect(signatures, 'one for the second link, one for the winner').to.equal(2)
  })
})
