/** What a change of notary promises: states come under another notary, whole, once, and with everyone's consent. */
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import {
  CarillonError,
  ChangeNotary,
  defineApp,
  defineCommand,
  defineFlow,
  defineState,
  instant,
  InstantC,
  IntegerC,
  PartyC,
  plus,
  startNode,
  StateRefC,
  type FlowBody,
  type StateRef,
} from 'carillon'
import { digestViews } from '../../src/storage/digest.js'
import { decodeEvent, EmbeddedStore, foldLog, verifyLog } from 'carillon/logs'
import { NetworkMap } from 'carillon/network'
import { VirtualNetwork } from 'carillon/testing'
import { sha256 } from '../../src/encoding/hash.js'
import { keyPairFromSeed } from '../../src/identity/KeyPair.js'
import { VirtualClock } from '../../src/time/VirtualClock.js'
import { agreeTo, settle } from '../session/agreement.js'

const Act = defineCommand({ type: 'token/Act' })
const Token = defineState({
  type: 'token/Token',
  data: t.strict({ owner: PartyC, beat: IntegerC, nextAt: InstantC }),
  participants: ({ owner }) => [owner],
  nextScheduledActivity: ({ nextAt }, ref) => some(Beat.at(nextAt, { token: ref })),
})
const Deed = defineState({
  type: 'token/Deed',
  data: t.strict({ parties: t.readonlyArray(PartyC), text: t.string }),
  participants: ({ parties }) => parties,
})

const Mint = defineFlow({
  name: 'token/Mint',
  input: t.strict({ nextAt: InstantC }),
  *run(io, { nextAt }): FlowBody<StateRef> {
    const token = { owner: io.me, beat: 0, nextAt }
    return (yield* io.finalise((tx) => tx.produce(Token, token).command(Act, [io.me]))).output()
  },
})
const Beat = defineFlow({
  name: 'token/Beat',
  schedulable: true,
  input: t.strict({ token: StateRefC }),
  *run(io, { token }): FlowBody<void> {
    const { data, ref } = yield* io.load(Token, token)
    const next = { ...data, beat: data.beat + 1, nextAt: plus(data.nextAt, { hours: 1 }) }
    yield* io.finalise((tx) => tx.consume(ref).produce(Token, next).command(Act, [io.me]))
  },
})
const Give = defineFlow({
  name: 'token/Give',
  input: t.strict({ token: StateRefC, to: PartyC }),
  *run(io, { token, to }): FlowBody<StateRef> {
    const { data, ref } = yield* io.load(Token, token)
    return yield* settle(io, [io.me, to], (tx) =>
      tx
        .consume(ref)
        .produce(Token, { ...data, owner: to })
        .command(Act, [io.me, to]),
    )
  },
})
const Draw = defineFlow({
  name: 'token/Draw',
  input: t.strict({ with: PartyC, notary: PartyC }),
  *run(io, { with: other, notary }): FlowBody<StateRef> {
    const parties = [io.me, other]
    const deed = { parties, text: 'a deed' }
    return yield* settle(io, parties, (tx) => tx.notary(notary).produce(Deed, deed).command(Act, parties))
  },
})
const app = defineApp({
  name: 'token',
  states: [Token, Deed],
  flows: [Mint, Beat, Give, Draw, agreeTo('token/Give'), agreeTo('token/Draw')],
  agreesTo: { changeNotary: () => right(undefined) },
})

const dawn = instant('2026-01-01T00:00:00.000Z')

const start = (seed: string, kind: 'validating' | 'nonValidating' = 'validating') =>
  VirtualNetwork.start({
    parties: {
      Alice: { app },
      Bob: { app },
      Carol: { app },
      First: { app, notary: kind },
      Second: { app, notary: kind },
    },
    seed,
  })

const ended = async (network: VirtualNetwork, run: Promise<unknown>): Promise<string> => {
  const settled = run.then(
    () => 'done',
    (error: unknown) => (error instanceof CarillonError ? error.code : String(error)),
  )
  await network.advanceBy({ minutes: 2 })
  return settled
}

const run = async <A>(network: VirtualNetwork, started: Promise<{ readonly result: () => Promise<A> }>): Promise<A> => {
  const handle = await started
  await network.advanceBy({ minutes: 2 })
  return handle.result()
}

/** The store of a party that has run alone, before the network of this seed was there. */
const storeOfLoner = async (name: string, seed: string): Promise<EmbeddedStore> => {
  const store = EmbeddedStore.inMemory()
  const key = keyPairFromSeed(sha256(`key of ${name} ${seed}`))
  const node = await startNode({ app, party: name, store, key, clock: new VirtualClock(dawn) })
  await node.run(Mint, { nextAt: plus(dawn, { hours: 1 }) })
  await node.stop()
  return store
}

const tokensOf = async (network: VirtualNetwork, name: string) => network.node(name).states(Token)

describe('A party that has run alone and joins a network', () => {
  const seed = 'joined'
  const join = async (): Promise<VirtualNetwork> =>
    VirtualNetwork.start({
      parties: {
        Alice: { app, store: await storeOfLoner('Alice', seed) },
        Bob: { app },
        First: { app, notary: 'validating' },
      },
      seed,
    })

  it('records that, and signs in the network from the next tick on', async () => {
    const network = await join()
    const alice = network.node('Alice')
    await network.advanceBy({ hours: 2 })
    const joined: string[] = []
    for await (const tick of alice.readLog())
      tick.events.forEach((line, index) => {
        const event = decodeEvent(line, tick.firstRevision + index)
        if (event.type === 'NetworkJoined') joined.push(event.network)
      })
    expect(joined).to.deep.equal([network.map.id])
    expect((await verifyLog(alice.readLog(0))).problems).to.deep.equal([])
    await network.crash('Alice')
    await network.restart('Alice')
    expect((await verifyLog(network.node('Alice').readLog(0))).problems).to.deep.equal([])
  })

  it('has what it signed before accepted by others only after a change of notary', async () => {
    const network = await join()
    const alice = network.node('Alice')
    const [token] = await tokensOf(network, 'Alice')
    const bob = network.party('Bob')
    expect(await ended(network, alice.run(Give, { token: token!.ref, to: bob }))).to.equal('counterparty-failed')
    const [changed] = await run(
      network,
      alice.start(ChangeNotary, { states: [token!.ref], notary: network.party('First') }),
    )
    await run(network, alice.start(Give, { token: changed!, to: bob }))
    expect((await tokensOf(network, 'Bob')).map(({ data }) => data.owner.name)).to.deep.equal(['Bob'])
    for (const name of network.names)
      expect((await verifyLog(network.node(name).readLog(0))).problems, name).to.deep.equal([])
  })

  it('cannot take its log into a second network', async () => {
    const store = await storeOfLoner('Alice', seed)
    const first = await VirtualNetwork.start({ parties: { Alice: { app, store } }, seed })
    await first.stop('Alice')
    const second = new NetworkMap(first.map.members, sha256('another network'))
    const key = keyPairFromSeed(sha256(`key of Alice ${seed}`))
    const { revision } = store.reopen().head()
    const started = startNode({ app, party: 'Alice', store: store.reopen(), key, network: second })
    expect(await started.catch((error: unknown) => (error as CarillonError).code)).to.equal('network-mismatch')
    expect(store.reopen().head().revision).to.equal(revision)
  })
})

describe('A change of notary', () => {
  for (const kind of ['validating', 'nonValidating'] as const) {
    it(`is what a state notarised by its owner needs before another party accepts it (${kind})`, async () => {
      const network = await start(`own ${kind}`, kind)
      const alice = network.node('Alice')
      await alice.run(Mint, { nextAt: plus(dawn, { hours: 1 }) })
      await network.advanceBy({ hours: 5 })
      const [token] = (await alice.query(Token)).items
      expect(token!.data.beat).to.equal(5)
      const give = (ref: StateRef) => alice.run(Give, { token: ref, to: network.party('Bob') })
      expect(await ended(network, give(token!.ref))).to.equal('counterparty-failed')

      const changing = alice.start(ChangeNotary, { states: [token!.ref], notary: network.party('First') })
      const [moved] = await run(network, changing)
      expect(await ended(network, give(moved!))).to.equal('done')
      const [bobs] = (await network.node('Bob').query(Token)).items
      expect(bobs!.data).to.deep.include({ beat: 5, owner: network.party('Bob') })
      // Bob goes on with it under the notary it now has.
      await network.advanceBy({ hours: 2 })
      expect((await network.node('Bob').query(Token)).items.map(({ data }) => data.beat)).to.deep.equal([7])
      for (const name of ['Alice', 'Bob', 'First']) {
        const folded = await foldLog(network.node(name).readLog())
        expect(digestViews(folded), name).to.equal(await network.node(name).viewsDigest())
        folded.close()
        expect((await verifyLog(network.node(name).readLog())).problems, name).to.deep.equal([])
      }
    })
  }

  it('needs everyone who takes part, and is recorded by all', async () => {
    const network = await start('shared')
    const terms = { with: network.party('Bob'), notary: network.party('First') }
    const deed = await run(network, network.node('Alice').start(Draw, terms))
    const change = { states: [deed], notary: network.party('Second') }
    const [moved] = await run(network, network.node('Bob').start(ChangeNotary, change))
    for (const name of ['Alice', 'Bob']) {
      const { items } = await network.node(name).queryVault({ where: { notary: network.party('Second') } })
      expect(items.map(({ ref, data }) => [ref, (data as { text: string }).text])).to.deep.equal([[moved, 'a deed']])
    }
    // Back again, then nowhere: it stands there already.
    const back = { states: [moved!], notary: network.party('First') }
    const [again] = await run(network, network.node('Alice').start(ChangeNotary, back))
    const nowhere = network.node('Alice').run(ChangeNotary, { states: [again!], notary: network.party('First') })
    expect(await ended(network, nowhere)).to.equal('notary-unknown')
    const toNone = network.node('Alice').run(ChangeNotary, { states: [again!], notary: network.party('Carol') })
    expect(await ended(network, toNone)).to.equal('notary-unknown')
    const old = network.node('Alice').run(ChangeNotary, { states: [deed], notary: network.party('Second') })
    expect(await ended(network, old)).to.equal('state-consumed')
  })

  it('lets nothing else consume the state while the new notary is asked, and can be asked for again', async () => {
    const network = await start('interrupted')
    const alice = network.node('Alice')
    const token = await alice.run(Mint, { nextAt: plus(dawn, { hours: 3 }) })
    await network.crash('First')
    const change = { states: [token], notary: network.party('First') }
    const { id } = await alice.start(ChangeNotary, change)
    await network.advanceBy({ hours: 4 })
    // Its activity was due meanwhile, and found that the state had been let go.
    expect((await alice.occurrences(token)).map(({ outcome }) => outcome)).to.deep.equal(['superseded'])
    await alice.killFlow(id)
    await network.restart('First')
    const [moved] = await run(network, alice.start(ChangeNotary, change))
    const [mine] = (await alice.query(Token)).items
    expect(mine!.ref.transaction).to.not.equal(token.transaction)
    expect(
      (await alice.queryVault({ status: 'all', type: Token.type })).items.map(({ ref }) => ref),
    ).to.include.deep.members([token, moved])
  })
})
