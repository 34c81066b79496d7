/** What a hostile member cannot do to the keys of others: take them, plant them, or stop what is found by them. */
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import {
  CarillonError,
  defineApp,
  defineCommand,
  defineContract,
  defineFlow,
  defineResponder,
  defineState,
  IntegerC,
  PartyC,
  StateRefC,
  type FlowBody,
  type Party,
} from 'carillon'
import { everyInterval, recurring } from 'carillon/recurrence'
import { VirtualNetwork } from 'carillon/testing'
import type { SignedTransaction } from '../../src/ledger/SignedTransaction.js'
import { vaultLimits } from '../../src/vault/limits.js'
import { agreeTo, settle } from '../session/agreement.js'
import { idOf, outputOf, recordedBy, Say, Stranger } from './Stranger.js'

const AccountC = t.strict({ owner: PartyC, number: t.string, balance: IntegerC })
const Account = defineState({
  type: 'bank/Account',
  data: AccountC,
  participants: ({ owner }) => [owner],
  key: ({ number }) => number,
})
/** Its contract wants no signature of those who take part. */
const Card = defineState({
  type: 'bank/Card',
  data: AccountC,
  contract: defineContract({ name: 'bank/Card', verify: () => right(undefined) }),
  participants: ({ owner }) => [owner],
  key: ({ number }) => number,
})
const Shared = defineState({
  type: 'bank/Shared',
  data: t.strict({ parties: t.readonlyArray(PartyC), number: t.string, turn: IntegerC }),
  participants: ({ parties }) => parties,
  key: ({ number }) => number,
})
const Move = defineCommand({ type: 'bank/Move' })

const Open = defineFlow({
  name: 'bank/Open',
  input: t.strict({ number: t.string, balance: IntegerC }),
  *run(io, { number, balance }): FlowBody<void> {
    yield* io.finalise((tx) => tx.produce(Account, { owner: io.me, number, balance }).command(Move, [io.me]))
  },
})
const OpenCard = defineFlow({
  name: 'bank/OpenCard',
  input: t.strict({ number: t.string }),
  *run(io, { number }): FlowBody<void> {
    yield* io.finalise((tx) => tx.produce(Card, { owner: io.me, number, balance: 0 }).command(Move, [io.me]))
  },
})
const TurnCard = defineFlow({
  name: 'bank/TurnCard',
  input: t.strict({ card: StateRefC }),
  *run(io, { card }): FlowBody<void> {
    const { data, ref } = yield* io.load(Card, card)
    yield* io.finalise((tx) =>
      tx
        .consume(ref)
        .produce(Card, { ...data, balance: data.balance + 1 })
        .command(Move, [io.me]),
    )
  },
})
const Balance = defineFlow({
  name: 'bank/Balance',
  input: t.strict({ number: t.string }),
  *run(io, { number }): FlowBody<string> {
    const found = yield* io.find(Account, number)
    return found === undefined ? 'none' : `${found.data.balance} of ${found.data.owner.name}`
  },
})
/** Takes a card of another party, whatever it is: nothing is signed in the session. */
const TakeCard = defineResponder({
  name: 'bank/TakeCard',
  respondsTo: 'bank/GiveCard',
  *run(io, session): FlowBody<void> {
    yield* io.receiveFinality(session, { any: true })
  },
})
const OpenShared = defineFlow({
  name: 'bank/OpenShared',
  input: t.strict({ parties: t.readonlyArray(PartyC), number: t.string }),
  *run(io, { parties, number }): FlowBody<void> {
    yield* settle(io, parties, (tx) => tx.produce(Shared, { parties, number, turn: 0 }).command(Move, parties))
  },
})
const TurnShared = defineFlow({
  name: 'bank/TurnShared',
  input: t.strict({ number: t.string }),
  *run(io, { number }): FlowBody<void> {
    const found = yield* io.query(Shared)
    const own = found.find(({ data }) => data.number === number)
    if (own === undefined) throw new Error('there is none')
    yield* settle(io, own.data.parties, (tx) =>
      tx
        .consume(own)
        .produce(Shared, { ...own.data, turn: own.data.turn + 1 })
        .command(Move, own.data.parties),
    )
  },
})
const Hourly = recurring({
  name: 'bank/Hourly',
  payload: t.strict({}),

  *run(): FlowBody<void> {
    return undefined
  },
})

const app = defineApp({
  name: 'bank',
  states: [Account, Card, Shared, ...Hourly.states],
  flows: [
    Open,
    OpenCard,
    TurnCard,
    Balance,
    TakeCard,
    OpenShared,
    TurnShared,
    agreeTo('bank/OpenShared'),
    agreeTo('bank/TurnShared'),
    ...Hourly.flows,
    Say,
  ],
})

const names = ['Bob', 'Alice', 'Carol', 'Mallory'] as const
const start = async (seed: string): Promise<Stranger> => {
  const network = await VirtualNetwork.start({
    parties: { ...Object.fromEntries(names.map((name) => [name, { app }])), Notary: { app, notary: 'validating' } },
    seed,
  })
  return new Stranger(network, seed)
}

const planted = (mallory: Stranger, owner: Party, number: string, type = 'bank/Account') =>
  mallory.sign(
    mallory.body({
      produces: [
        {
          type,
          data: { owner, number, balance: 1_000_000 },
          ...(type === 'bank/Card' ? { contract: 'bank/Card' } : {}),
        },
      ],
    }),
  )

const balance = ({ network }: Stranger, number: string): Promise<string> => network.node('Bob').run(Balance, { number })

const codeOf = async (run: Promise<unknown>): Promise<string> =>
  run.then(
    () => 'done',
    (error: unknown) => (error instanceof CarillonError ? error.code : String(error)),
  )

describe('The keys of a vault', () => {
  it('are not poisoned by a state that a member pushes: it is not even recorded', async () => {
    const mallory = await start('poison')
    const { network } = mallory
    await network.node('Bob').run(Open, { number: 'account-1', balance: 100 })
    const ownState = planted(mallory, mallory.party('Mallory'), 'account-1')
    const other = planted(mallory, mallory.party('Mallory'), 'account-2')
    for (const push of [ownState, other])
      expect(await mallory.push('Bob', push)).to.deep.equal([{ error: 'finality-unexpected' }])
    expect((await recordedBy(network, 'Bob')).all).to.have.lengthOf(1)
    expect(await balance(mallory, 'account-1')).to.equal('100 of Bob')
    await network.node('Bob').run(Open, { number: 'account-2', balance: 5 })
    await network.crash('Bob')
    await network.restart('Bob')
    expect(await balance(mallory, 'account-1')).to.equal('100 of Bob')
    expect(await balance(mallory, 'account-2')).to.equal('5 of Bob')
  })

  it('are not taken by a state in which the party takes part without having asked for it', async () => {
    const mallory = await start('relevance')
    const forBob = planted(mallory, mallory.party('Bob'), 'card-1', 'bank/Card')
    expect(await mallory.push('Bob', forBob)).to.deep.equal([{ error: 'finality-unexpected' }])
    expect((await recordedBy(mallory.network, 'Bob')).all).to.deep.equal([])
    await mallory.network.node('Bob').run(OpenCard, { number: 'card-1' })
  })

  it('are not taken by a state of others that is recorded here because a flow asked for it', async () => {
    const mallory = await start('foreign')
    const { network } = mallory
    const theirs = planted(mallory, mallory.party('Mallory'), 'card-1', 'bank/Card')
    expect(await mallory.say('Bob', 'bank/GiveCard', { type: 'finality', transaction: theirs })).to.deep.equal([
      { type: 'recorded' },
    ])
    const [held] = (await network.node('Bob').queryVault({ type: 'bank/Card', includeIrrelevant: true })).items
    expect(held).to.include({ relevant: false })
    expect(held).not.to.have.property('key')
    expect(await network.node('Bob').find(Card, 'card-1')).to.equal(undefined)
    await network.node('Bob').run(OpenCard, { number: 'card-1' })
    expect((await network.node('Bob').find(Card, 'card-1'))?.data.owner.name).to.equal('Bob')
  })

  it('belong to the first state: a later final one is recorded without its key, and needs attention', async () => {
    const mallory = await start('later')
    const { network } = mallory
    await network.node('Bob').run(OpenCard, { number: 'card-1' })
    const first = await network.node('Bob').find(Card, 'card-1')
    const later = planted(mallory, mallory.party('Bob'), 'card-1', 'bank/Card')
    await mallory.say('Bob', 'bank/GiveCard', { type: 'finality', transaction: later })
    const look = async (): Promise<void> => {
      const bob = network.node('Bob')
      expect((await bob.find(Card, 'card-1'))?.ref).to.deep.equal(first?.ref)
      const attention = (await bob.agenda({ show: 'attention' })).items
      expect(attention.map(({ ref, error }) => ({ ref, code: error?.code }))).to.deep.equal([
        { ref: outputOf(later), code: 'state-key-taken' },
      ])
    }
    await look()
    await network.crash('Bob')
    await network.restart('Bob')
    await look()
  })

  it('cannot be used to stop a recurring job', async () => {
    const mallory = await start('hourly')
    const { network } = mallory
    await network
      .node('Bob')
      .run(Hourly.Create, { id: 'job', recurrence: everyInterval({ hours: 1 }, network.now), payload: {} })
    await network.advanceBy({ hours: 2 })
    const runs = async () => (await network.node('Bob').flows({ name: 'bank/Hourly/Run', limit: 100 })).items.length
    const before = await runs()
    const [schedule] = await network.node('Bob').states(Hourly.Schedule)
    const data = JSON.parse(JSON.stringify({ ...schedule?.data, owner: mallory.party('Mallory') })) as never
    const copy = mallory.sign(mallory.body({ produces: [{ type: 'bank/Hourly/Schedule', data }] }))
    await mallory.push('Bob', copy)
    await network.advanceBy({ hours: 5 })
    expect((await runs()) - before).to.equal(5)
  })

  it('are not touched by ancestors, whose outputs are never relevant', async () => {
    const mallory = await start('ancestors')
    const { network } = mallory
    const issue = mallory.sign(
      mallory.body({
        produces: [
          {
            type: 'bank/Card',
            contract: 'bank/Card',
            data: { owner: mallory.party('Mallory'), number: 'm', balance: 1 },
          },
          { type: 'bank/Card', contract: 'bank/Card', data: { owner: mallory.party('Bob'), number: 'c', balance: 1 } },
        ],
      }),
    )
    const spend = mallory.sign(
      mallory.body({
        inputs: [outputOf(issue)],
        produces: [
          { type: 'bank/Card', contract: 'bank/Card', data: { owner: mallory.party('Bob'), number: 'd', balance: 1 } },
        ],
      }),
      ['Mallory', 'Notary'],
    )
    const unrelated = planted(mallory, mallory.party('Mallory'), 'x')
    const give = (...transactions: readonly SignedTransaction[]) =>
      mallory.say(
        'Bob',
        'bank/GiveCard',
        { type: 'finality', transaction: spend },
        { type: 'ancestors', ids: transactions.map(idOf) },
        [{ type: 'history', transactions }, { type: 'historyEnd' }],
      )
    for (const sent of [[unrelated, issue], [issue, unrelated], [unrelated]]) {
      expect((await give(...sent)).at(-1)).to.deep.equal({ error: 'message-invalid' })
      expect((await recordedBy(network, 'Bob')).all).to.deep.equal([])
    }
    expect((await give(issue)).at(-1)).to.deep.equal({ type: 'recorded' })
    expect(await recordedBy(network, 'Bob')).to.deep.equal({
      all: [idOf(issue), idOf(spend)],
      ancestors: [idOf(issue)],
    })
    const look = async (): Promise<void> => {
      expect(await network.node('Bob').find(Card, 'c')).to.equal(undefined)
      expect((await network.node('Bob').find(Card, 'd'))?.ref).to.deep.equal(outputOf(spend))
    }
    await look()
    // A newer app that is asked about all of its states does not hear of this one either.
    await network.node('Bob').reassess(Card)
    await look()
    // Asked for after all, it is final like any other.
    await mallory.say('Bob', 'bank/GiveCard', { type: 'finality', transaction: issue })
    expect((await network.node('Bob').find(Card, 'c'))?.ref).to.deep.equal(outputOf(issue, 1))
  })
})

describe('A key that several parties race for', () => {
  const race = async (seed: string, racers: readonly (readonly [string, readonly string[]])[]) => {
    const { network } = await start(seed)
    const started = []
    for (const [by, others] of racers) {
      const parties = [by, ...others].map((name) => network.party(name))
      started.push({ by, id: (await network.node(by).start(OpenShared, { parties, number: 'k' })).id })
    }
    await network.advanceBy({ minutes: 5 })
    const ends = await Promise.all(
      started.map(({ by, id }) =>
        network
          .node(by)
          .resultOf(id)
          .then(() => 'won')
          .catch((error: unknown) => (error as CarillonError).code),
      ),
    )
    return { network, ends }
  }
  for (const [what, racers] of Object.entries({
    'two that ask each other': [
      ['Alice', ['Bob']],
      ['Bob', ['Alice']],
    ],
    'three in a ring': [
      ['Alice', ['Bob']],
      ['Bob', ['Carol']],
      ['Carol', ['Alice']],
    ],
    'one that asks twice': [
      ['Alice', ['Bob']],
      ['Alice', ['Bob']],
    ],
    'two that ask a third': [
      ['Alice', ['Carol']],
      ['Bob', ['Carol']],
    ],
  } satisfies Record<string, readonly (readonly [string, readonly string[]])[]>))
    it(`is given once at each of them: ${what}`, async () => {
      const { network, ends } = await race(what, racers)
      expect(
        ends.every((end) => ['won', 'state-key-reserved', 'state-key-taken'].includes(end)),
        ends.join(),
      ).to.equal(true)
      for (const name of names) {
        const held = (await network.node(name).states(Shared)).filter(({ data }) => data.number === 'k')
        expect(held.length, name).to.be.at.most(1)
        expect((await network.node(name).agenda({ show: 'attention' })).items).to.deep.equal([])
      }
      // Who lost can try again, and the key is free or taken by then, and no longer reserved.
      for (const name of names) {
        const parties = [network.party(name)]
        const again = await codeOf(network.node(name).run(OpenShared, { parties, number: 'free' }))
        expect(again).to.equal('done')
      }
    })

  it('is released when the flow that reserved it ends', async () => {
    const { network } = await start('released')
    await network.crash('Bob')
    const parties = [network.party('Alice'), network.party('Bob')]
    const waiting = await network.node('Alice').start(OpenShared, { parties, number: 'k' })
    await network.runUntilQuiet()
    const alone = { parties: [network.party('Alice')], number: 'k' }
    expect(await codeOf(network.node('Alice').run(OpenShared, alone))).to.equal('state-key-reserved')
    await network.crash('Alice')
    await network.restart('Alice')
    expect(await codeOf(network.node('Alice').run(OpenShared, alone))).to.equal('state-key-reserved')
    await network.node('Alice').killFlow(waiting.id)
    expect(await codeOf(network.node('Alice').run(OpenShared, alone))).to.equal('done')
  })

  it('is kept so long and no longer for a flow whose other party never answers', async () => {
    const { network } = await start('lapsed')
    await network.crash('Bob')
    const parties = [network.party('Alice'), network.party('Bob')]
    const waiting = await network.node('Alice').start(OpenShared, { parties, number: 'k' })
    await network.runUntilQuiet()
    const alone = { parties: [network.party('Alice')], number: 'k' }
    const { keyReservedMs } = vaultLimits
    await network.advanceBy({ milliseconds: keyReservedMs - 1 })
    expect(await codeOf(network.node('Alice').run(OpenShared, alone))).to.equal('state-key-reserved')
    await network.advanceBy({ milliseconds: 1 })
    expect(await codeOf(network.node('Alice').run(OpenShared, alone))).to.equal('done')
    // Bob answers after all: his signature comes too late, and what it is for is known to be so.
    await network.restart('Bob')
    await network.advanceBy({ minutes: 10 })
    expect(await codeOf(waiting.result())).to.equal('done')
    const held = (await network.node('Alice').queryVault({ type: 'bank/Shared' })).items
    expect(held.map(({ key }) => key)).to.have.members(['k', undefined])
    expect((await network.node('Alice').find(Shared, 'k'))?.data.parties.length).to.equal(1)
  })

  it('passes to the flow that asks for it when the time is over, and the log says from whom', async () => {
    const { network } = await start('passed on')
    await network.crash('Bob')
    const alice = network.node('Alice')
    const parties = [network.party('Alice'), network.party('Bob')]
    const first = await alice.start(OpenShared, { parties, number: 'k' })
    await network.advanceBy({ milliseconds: vaultLimits.keyReservedMs })
    const second = await alice.start(OpenShared, { parties, number: 'k' })
    await network.runUntilQuiet()
    const reserved = (await network.inspect('Alice').log()).flatMap(({ event }) =>
      event.type === 'KeysReserved' ? [event] : [],
    )
    expect(reserved.map(({ flow, lapsed }) => ({ flow, lapsed }))).to.deep.equal([
      { flow: first.id, lapsed: undefined },
      { flow: second.id, lapsed: [first.id] },
    ])
    // The end of the first gives nothing back that is the second's.
    await alice.killFlow(first.id)
    expect(await codeOf(alice.start(OpenShared, { parties, number: 'k' }).then((third) => third.result()))).to.equal(
      'state-key-reserved',
    )
  })

  it('goes on without its key where another was first, and its successor is not refused', async () => {
    const mallory = await start('twin')
    const { network } = mallory
    await network.node('Bob').run(OpenCard, { number: 'card-1' })
    const later = planted(mallory, mallory.party('Bob'), 'card-1', 'bank/Card')
    await mallory.say('Bob', 'bank/GiveCard', { type: 'finality', transaction: later })
    const turned = await network.node('Bob').start(TurnCard, { card: outputOf(later) })
    await network.advanceBy({ minutes: 1 })
    expect(await codeOf(turned.result())).to.equal('done')
    expect((await network.node('Bob').find(Card, 'card-1'))?.data.balance).to.equal(0)
    const first = await network.node('Bob').find(Card, 'card-1')
    await network.node('Bob').run(TurnCard, { card: first?.ref ?? outputOf(later) })
    expect((await network.node('Bob').find(Card, 'card-1'))?.data.balance).to.equal(1)
    const cards = (await network.node('Bob').queryVault({ type: 'bank/Card' })).items
    expect(cards.map(({ key }) => key)).to.deep.equal([undefined, 'card-1'])
  })
})
