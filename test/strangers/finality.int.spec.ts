/** What a hostile member cannot do with a transaction that others take part in. */
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
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
  type StateRef,
} from 'carillon'
import { VirtualNetwork } from 'carillon/testing'
import { sha256 } from '../../src/encoding/hash.js'
import { textToSign } from '../../src/identity/NetworkId.js'
import { tearOff } from '../../src/ledger/TearOff.js'
import { componentsOf, sealBody, type TransactionBody } from '../../src/ledger/Transaction.js'
import type { Envelope } from '../../src/log/Message.js'
import type { SessionId } from '../../src/log/SessionId.js'
import { settle } from '../session/agreement.js'
import { idOf, recordedBy, Say, Stranger } from './Stranger.js'

const Sale = defineState({
  type: 'shop/Sale',
  data: t.strict({ seller: PartyC, buyer: PartyC, number: IntegerC }),
  participants: ({ seller, buyer }) => [seller, buyer],
})
const Note = defineState({
  type: 'shop/Note',
  data: t.strict({ owner: PartyC }),
  participants: ({ owner }) => [owner],
})
const Do = defineCommand({ type: 'shop/Do' })

const shipped: string[] = []
/** Signs a sale, waits until it is final, and ships the goods. */
const Sell = defineResponder({
  name: 'shop/Sell',
  respondsTo: 'shop/Buy',
  *run(io, session): FlowBody<void> {
    yield* io.signProposal(session, () => right(undefined))
    const { id } = yield* io.receiveFinality(session)
    yield* io.step('ship', () => void shipped.push(id))
  },
})
/** Expects a final transaction without having signed one. */
const Careless = defineResponder({
  name: 'shop/Careless',
  respondsTo: 'shop/Tell',
  *run(io, session): FlowBody<void> {
    yield* io.receiveFinality(session)
  },
})
const Buy = defineFlow({
  name: 'shop/Buy',
  input: t.strict({ from: PartyC, number: IntegerC }),
  *run(io, { from, number }): FlowBody<StateRef> {
    const parties = [from, io.me]
    return yield* settle(io, parties, (tx) =>
      tx.produce(Sale, { seller: from, buyer: io.me, number }).command(Do, parties),
    )
  },
})
const Jot = defineFlow({
  name: 'shop/Jot',
  input: t.strict({ notary: t.union([PartyC, t.null]) }),
  *run(io, { notary }): FlowBody<StateRef> {
    const done = yield* io.finalise((tx) => {
      if (notary !== null) tx.notary(notary)
      return tx.produce(Note, { owner: io.me }).command(Do, [io.me])
    })
    return done.output()
  },
})
/** Consumes one note while another must still be there. */
const Refer = defineFlow({
  name: 'shop/Refer',
  input: t.strict({ note: StateRefC, other: StateRefC }),
  *run(io, { note, other }): FlowBody<void> {
    const consumed = yield* io.load(Note, note)
    const referenced = yield* io.load(Note, other)
    yield* io.finalise((tx) =>
      tx.consume(consumed).reference(referenced).produce(Note, consumed.data).command(Do, [io.me]),
    )
  },
})
const Spend = defineFlow({
  name: 'shop/Spend',
  input: t.strict({ note: StateRefC }),
  *run(io, { note }): FlowBody<void> {
    const consumed = yield* io.load(Note, note)
    yield* io.finalise((tx) => tx.consume(consumed).produce(Note, consumed.data).command(Do, [io.me]))
  },
})

const states = [Sale, Note]
const flows = [Sell, Careless, Buy, Jot, Refer, Spend, Say]
const app = defineApp({ name: 'shop', states, flows })

const start = async (seed: string, kind: 'validating' | 'nonValidating' = 'validating'): Promise<Stranger> =>
  new Stranger(
    await VirtualNetwork.start({
      parties: {
        Alice: { app },
        Bob: { app },
        Mallory: { app },
        Notary: { app, notary: kind },
        Other: { app, notary: kind },
      },
      seed,
    }),
    seed,
  )

const codeOf = async (run: Promise<unknown>): Promise<string> =>
  run.then(
    () => 'done',
    (error: unknown) => (error instanceof CarillonError ? error.code : String(error)),
  )

describe('What is received as final', () => {
  const sale = (mallory: Stranger, number: number) => {
    const [seller, buyer] = [mallory.party('Bob'), mallory.party('Mallory')]
    return mallory.body({
      produces: [{ type: 'shop/Sale', data: { seller, buyer, number } }],
      signers: [[seller.key, buyer.key]],
    })
  }

  it('in a session is what was signed in it, and nothing else', async () => {
    const mallory = await start('swapped')
    const { network } = mallory
    const wanted = mallory.sign(sale(mallory, 1))
    const own = mallory.sign(
      mallory.body({ produces: [{ type: 'shop/Note', data: { owner: mallory.party('Mallory') } }] }),
    )
    const before = shipped.length
    const answers = await mallory.say(
      'Bob',
      'shop/Buy',
      { type: 'sign', transaction: wanted },
      { type: 'finality', transaction: own },
    )
    expect(answers.at(-1)).to.deep.equal({ error: 'finality-unexpected' })
    expect((await recordedBy(network, 'Bob')).all).to.deep.equal([])
    expect(shipped.length).to.equal(before)
  })

  it('is recorded when it is what was signed, and then the goods are shipped', async () => {
    const mallory = await start('honest')
    const body = sale(mallory, 2)
    const answers = await mallory.say(
      'Bob',
      'shop/Buy',
      { type: 'sign', transaction: mallory.sign(body) },
      { type: 'finality', transaction: mallory.sign(body, ['Mallory', 'Bob']) },
    )
    expect(answers.at(-1)).to.deep.equal({ type: 'recorded' })
    expect(shipped.at(-1)).to.equal(idOf({ body, signatures: [] }))
  })

  it('in a session in which nothing was signed must have been asked for in so many words', async () => {
    const mallory = await start('careless')
    const own = mallory.sign(
      mallory.body({ produces: [{ type: 'shop/Note', data: { owner: mallory.party('Mallory') } }] }),
    )
    expect(await mallory.say('Bob', 'shop/Tell', { type: 'finality', transaction: own })).to.deep.equal([
      { error: 'finality-unexpected' },
    ])
    expect((await recordedBy(mallory.network, 'Bob')).all).to.deep.equal([])
  })

  it('without a session is recorded by who has signed it, although the flow that signed is gone', async () => {
    const mallory = await start('gone')
    const body = sale(mallory, 3)
    await mallory.say('Bob', 'shop/Buy', { type: 'sign', transaction: mallory.sign(body) })
    expect(await mallory.push('Bob', mallory.sign(body, ['Mallory', 'Bob']))).to.deep.equal([{ type: 'recorded' }])
    expect(await mallory.network.node('Bob').states(Sale)).to.have.lengthOf(1)
  })
})

describe('An observer', () => {
  it('has agreed to observe, or records nothing', async () => {
    const agreeing = defineApp({
      name: 'shop',
      states,
      flows,
      agreesTo: {
        observe: (transaction, from) =>
          from.name === 'Alice' && transaction.outputsOf(Sale).length === 1
            ? right(undefined)
            : left('only sales of Alice'),
      },
    })
    const Observed = defineFlow({
      name: 'shop/Observed',
      input: t.strict({ seen: t.readonlyArray(PartyC), sale: t.boolean }),
      *run(io, { seen, sale }): FlowBody<void> {
        yield* io.finalise(
          (tx) =>
            (sale
              ? tx.produce(Sale, { seller: io.me, buyer: io.me, number: 1 })
              : tx.produce(Note, { owner: io.me })
            ).command(Do, [io.me]),
          { observers: seen },
        )
      },
    })
    const teller = { app: defineApp({ name: 'shop', states, flows: [...flows, Observed] }) }
    const network = await VirtualNetwork.start({
      parties: {
        Alice: teller,
        Mallory: teller,
        Carol: { app: agreeing },
        Dave: { app },
        Notary: { app, notary: 'validating' },
      },
      seed: 'observers',
    })
    const tell = async (by: string, to: string, sale: boolean): Promise<string> => {
      const handle = await network.node(by).start(Observed, { seen: [network.party(to)], sale })
      await network.advanceBy({ minutes: 1 })
      return codeOf(handle.result())
    }
    expect(await tell('Alice', 'Carol', true)).to.equal('done')
    expect(await tell('Alice', 'Carol', false)).to.equal('counterparty-failed')
    expect(await tell('Mallory', 'Carol', true)).to.equal('counterparty-failed')
    expect(await tell('Alice', 'Dave', true)).to.equal('counterparty-failed')
    expect((await recordedBy(network, 'Carol')).all).to.have.lengthOf(1)
    expect((await recordedBy(network, 'Dave')).all).to.deep.equal([])
    // It was final all the same: who made it has recorded it.
    expect((await recordedBy(network, 'Alice')).all).to.have.lengthOf(3)
  })
})

describe('A transaction that this node could not record', () => {
  for (const kind of ['validating', 'nonValidating'] as const)
    it(`is refused before a ${kind} notary is asked: its input can still be consumed`, async () => {
      const { network } = await start(`reference ${kind}`, kind)
      const alice = network.node('Alice')
      const jot = async (notary: string): Promise<StateRef> => {
        const handle = await alice.start(Jot, { notary: network.party(notary) })
        await network.advanceBy({ seconds: 10 })
        return handle.result()
      }
      const note = await jot('Notary')
      const refer = await alice.start(Refer, { note, other: await jot('Other') })
      await network.advanceBy({ minutes: 1 })
      expect(await codeOf(refer.result())).to.equal('notary-unknown')
      expect(
        (await network.inspect('Notary').log()).some(({ event }) => event.type === 'TransactionNotarised'),
      ).to.equal(false)
      const spend = await alice.start(Spend, { note })
      await network.advanceBy({ minutes: 1 })
      expect(await codeOf(spend.result())).to.equal('done')
      // Under the same notary a reference is no hindrance.
      const fine = await alice.start(Refer, { note: await jot('Notary'), other: await jot('Notary') })
      await network.advanceBy({ minutes: 1 })
      expect(await codeOf(fine.result())).to.equal('done')
    })

  it('is refused by a notary that does not validate, where it references a state of another notary', async () => {
    const mallory = await start('other notary', 'nonValidating')
    const note = (notary: string) =>
      mallory.body({
        produces: [{ type: 'shop/Note', data: { owner: mallory.party('Mallory') } }],
        notary: mallory.party(notary),
      })
    const [own, other] = [note('Notary'), note('Other')]
    const headerOf = (body: TransactionBody) => tearOff(sealBody(body).id, componentsOf(body), () => false)
    const ask = async (reference: TransactionBody, referenced: unknown): Promise<unknown> => {
      const body = mallory.body({ references: [{ transaction: sealBody(reference).id, index: 0 }] })
      const { id } = sealBody(body)
      const torn = tearOff(id, componentsOf(body), (group) => group === 'inputs' || group === 'references')
      const callerSignature = mallory.key('Mallory').sign(textToSign('notary request', mallory.network.map.id, id))
      const request = {
        type: 'tearOff',
        tearOff: torn,
        callerSignature,
        ...(referenced === undefined ? {} : { referenced }),
      }
      const [answer] = await mallory.say('Notary', 'carillon/Notarise', { type: 'notarise', request })
      return (answer as { readonly type?: string; readonly error?: string }).error ?? 'signed'
    }
    expect(await ask(own, [headerOf(own)])).to.equal('signed')
    expect(await ask(other, [headerOf(other)])).to.equal('notary-unknown')
    expect(await ask(other, undefined)).to.equal('transaction-malformed')
    expect(await ask(other, [headerOf(own)])).to.equal('transaction-malformed')
    expect(await ask(other, [{ ...headerOf(own), id: sealBody(other).id }])).to.equal('transaction-altered')
  })

  it('is refused also where only recording it would fail', async () => {
    const Odd = defineState({
      type: 'shop/Odd',
      data: t.strict({ owner: PartyC, number: IntegerC }),
      contract: defineContract({ name: 'shop/Odd', verify: () => right(undefined) }),
      participants: ({ owner }) => [owner],
      indexed: {
        number: ({ number }) => {
          if (number > 1) throw new Error('too large for me')
          return number
        },
      },
    })
    const Count = defineFlow({
      name: 'shop/Count',
      input: t.strict({ from: t.union([StateRefC, t.null]), notary: PartyC }),
      *run(io, { from, notary }): FlowBody<StateRef> {
        const before = from === null ? undefined : yield* io.load(Odd, from)
        const done = yield* io.finalise((tx) => {
          if (before !== undefined) tx.consume(before)
          return tx
            .notary(notary)
            .produce(Odd, { owner: io.me, number: (before?.data.number ?? 0) + 1 })
            .command(Do, [io.me])
        })
        return done.output()
      },
    })
    const odd = defineApp({ name: 'odd', states: [Odd], flows: [Count] })
    const network = await VirtualNetwork.start({
      parties: { Alice: { app: odd }, Notary: { app: odd, notary: 'nonValidating' } },
      seed: 'odd',
    })
    const count = async (from: StateRef | null) => {
      const handle = await network.node('Alice').start(Count, { from, notary: network.party('Notary') })
      await network.advanceBy({ minutes: 1 })
      return handle.result()
    }
    const first = await count(null)
    expect(await codeOf(count(first))).to.equal('state-definition-faulty')
    expect((await network.inspect('Notary').log()).some(({ event }) => event.type === 'TransactionNotarised')).to.equal(
      false,
    )
  })
})

describe('A session of two parties', () => {
  it('takes an acknowledgement, an end or an error from its own parties alone', async () => {
    const { network } = await start('third party')
    network.cut('Alice', 'Bob')
    const handle = await network.node('Alice').start(Buy, { from: network.party('Bob'), number: 4 })
    await network.runUntilQuiet()
    const opened = (await network.inspect('Alice').log()).find(({ event }) => event.type === 'SessionOpened')?.event
    const session = (opened?.type === 'SessionOpened' ? opened.session : '') as SessionId
    const mallory = network.transport.endpoint(network.party('Mallory').key)
    const said: readonly Envelope[] = [
      ...[0, 1, 2].map((seq): Envelope => ({ kind: 'ack', session, from: 'responder', seq })),
      { kind: 'message', session, from: 'responder', seq: 0, message: { kind: 'end' } },
      { kind: 'message', session, from: 'responder', seq: 0, message: { kind: 'error', code: 'no', message: 'no' } },
      {
        kind: 'message',
        session,
        from: 'responder',
        seq: 0,
        message: { kind: 'data', payload: { type: 'refused', reason: 'no' } },
      },
    ]
    mallory.send(network.party('Alice').key, said)
    // The responder's end does not exist yet, or is not hers either.
    mallory.send(network.party('Bob').key, [
      {
        kind: 'message',
        session,
        from: 'initiator',
        seq: 0,
        message: { kind: 'open', flow: 'shop/Buy', version: 1, nonce: sha256('x') },
      },
    ])
    await network.advanceBy({ seconds: 30 })
    const events = (await network.inspect('Alice').log()).map(({ event }) => event.type)
    expect(events).not.to.include('MessageAcknowledged')
    expect(events).not.to.include('MessageReceived')
    expect((await network.inspect('Bob').log()).map(({ event }) => event.type)).not.to.include('SessionOpened')
    network.heal()
    await network.advanceBy({ minutes: 2 })
    await handle.result()
    expect(await network.node('Bob').states(Sale)).to.have.lengthOf(1)
  })
})
