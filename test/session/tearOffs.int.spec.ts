/** What signing a part promises: the signer sees what it must and nothing else, and cannot be tricked by what is hidden. */
import { expect } from 'chai'
import * as t from 'io-ts'
import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import {
  CarillonError,
  commandsShown,
  defineApp,
  defineCommand,
  defineFlow,
  defineResponder,
  defineState,
  IntegerC,
  JsonC,
  PartyC,
  type FlowBody,
  type Json,
  type ShownTransaction,
  type TransactionPart,
} from 'carillon'
import { VirtualNetwork } from 'carillon/testing'

const Buy = defineCommand({ type: 'market/Buy' })
const Price = defineCommand({ type: 'market/Price', data: t.strict({ of: t.string, is: IntegerC }) })

const Deal = defineState({
  type: 'market/Deal',
  data: t.strict({ buyer: PartyC, seller: PartyC, of: t.string, secret: t.string }),
  participants: ({ buyer, seller }) => [buyer, seller],
})

const RevealC = t.keyof({ default: null, nothing: null, everything: null, buyOnly: null })
const reveals: Readonly<Record<Exclude<t.TypeOf<typeof RevealC>, 'default'>, (part: TransactionPart) => boolean>> = {
  nothing: () => false,
  everything: () => true,
  buyOnly: (part) => part.group === 'commands' && part.type === Buy.type,
}

/** Opens the session in a name of its own, so that the oracle's answer is another than the seller's. */
const AskOracle = defineFlow({
  name: 'market/AskOracle',
  input: t.strict({ oracle: PartyC }),
  *run(io, { oracle }) {
    return yield* io.initiate(oracle)
  },
})

const BuyFlow = defineFlow({
  name: 'market/BuyFlow',
  input: t.strict({ seller: PartyC, oracle: PartyC, price: IntegerC, reveal: RevealC, secondPrice: t.boolean }),
  *run(io, { seller, oracle, price, reveal, secondPrice }): FlowBody<string> {
    const asked = yield* io.subFlow(AskOracle, { oracle })
    const session = yield* io.initiate(seller)
    const done = yield* io.finalise(
      (tx) => {
        tx.produce(Deal, { buyer: io.me, seller, of: 'tea', secret: 'for my aunt' })
          .command(Buy, [io.me, seller])
          .command(Price, [oracle], { of: 'tea', is: price })
        return secondPrice ? tx.command(Price, [oracle], { of: 'coffee', is: 1 }) : tx
      },
      {
        sessions: [session],
        tearOffs: [{ session: asked, ...(reveal === 'default' ? {} : { reveal: reveals[reveal] }) }],
      },
    )
    return done.id
  },
})

const Sell = defineResponder({
  name: 'market/Sell',
  respondsTo: BuyFlow,
  *run(io, session): FlowBody<void> {
    yield* io.signProposal(session, () => right(undefined))
    yield* io.receiveFinality(session)
  },
})

const summary = (shown: ShownTransaction): Json => ({
  commands: shown.commands.map(({ type }) => type),
  outputs: shown.outputs.length,
  outputsThereAre: shown.counts.outputs,
})

const Confirm = defineResponder({
  name: 'market/Confirm',
  respondsTo: AskOracle,
  *run(io, session): FlowBody<Json> {
    const shown = yield* io.signTearOff(session, Price, (visible) => {
      if (visible.outputs.length > 0) return left('the deal is none of my business')
      return commandsShown(visible, Price).every(({ of, is }) => of === 'tea' && is === 4)
        ? right(undefined)
        : left('tea costs 4')
    })
    return summary(shown)
  },
})

const market = defineApp({ name: 'market', states: [Deal], flows: [AskOracle, BuyFlow, Sell] })
const oracle = defineApp({ name: 'oracle', states: [], flows: [Confirm] })

const deal = async (input: Partial<Omit<t.TypeOf<typeof BuyFlow.input>, 'seller' | 'oracle'>>, notaryToo = false) => {
  const network = await VirtualNetwork.start({
    parties: {
      Ann: { app: market },
      Bob: { app: market },
      Oracle: { app: oracle, ...(notaryToo ? { notary: 'nonValidating' as const } : {}) },
      Notary: { app: market, notary: 'nonValidating' },
    },
    seed: 'tear-offs',
  })
  const handle = await network.node('Ann').start(BuyFlow, {
    seller: network.party('Bob'),
    oracle: network.party('Oracle'),
    price: 4,
    reveal: 'default',
    secondPrice: false,
    ...input,
  })
  await network.advanceBy({ minutes: 1 })
  const outcome = await handle.result().catch((error: unknown) => String(error))
  const held = (await network.node('Bob').states(Deal)).length
  const [answered] = (await network.node('Oracle').flows({ name: 'market/Confirm' })).items
  return { outcome, held, network, answered }
}

describe('A party that signs what it is shown a part of', () => {
  it('is shown the commands that ask for its key and nothing else, and the transaction is complete with it', async () => {
    const { held, network, answered } = await deal({})
    expect(held).to.equal(1)
    const details = answered === undefined ? undefined : await network.node('Oracle').flow(answered.id)
    expect(details?.result).to.deep.equal({ commands: ['market/Price'], outputs: 0, outputsThereAre: 1 })
    const log: string[] = []
    for await (const tick of network.node('Oracle').readLog()) log.push(JSON.stringify(tick))
    expect(log.join()).not.to.contain('for my aunt')
  })

  it('goes on signing after a crash in the middle of it', async () => {
    const { network } = await deal({})
    const handle = await network.node('Ann').start(BuyFlow, {
      seller: network.party('Bob'),
      oracle: network.party('Oracle'),
      price: 4,
      reveal: 'default',
      secondPrice: false,
    })
    await network.crash('Oracle')
    await network.advanceBy({ hours: 1 })
    for (const name of ['Ann', 'Bob']) {
      await network.crash(name)
      await network.restart(name)
    }
    await network.restart('Oracle')
    await network.advanceBy({ hours: 1 })
    expect(await network.node('Ann').resultOf(handle.id)).to.be.a('string')
    expect(await network.node('Bob').states(Deal)).to.have.lengthOf(2)
  })

  const refusals = [
    ['refuses a command that is not so', { price: 5 }, 'tea costs 4'],
    ['refuses a second command that is not so', { secondPrice: true }, 'tea costs 4'],
    ['refuses to be shown more than it wants to know', { reveal: 'everything' }, 'none of my business'],
    ['insists on seeing every command that asks for its key', { reveal: 'nothing' }, 'is hidden'],
    ['is not content with other commands', { reveal: 'buyOnly' }, 'is hidden'],
  ] as const
  for (const [what, input, why] of refusals) {
    it(what, async () => {
      const { outcome, held, answered } = await deal(input)
      expect(outcome).to.contain(why)
      expect(held).to.equal(0)
      expect(answered?.error?.code).to.equal('signature-refused')
    })
  }

  it('does not give away its word as the notary of the transaction', async () => {
    const { outcome, held } = await deal({}, true)
    expect(outcome).to.contain('has to see more')
    expect(held).to.equal(0)
  })

  it('is not fooled by a part that belongs to no transaction', async () => {
    const { network } = await deal({})
    const Forge = defineFlow({
      name: 'market/AskOracle',
      input: t.strict({ oracle: PartyC, tearOff: JsonC }),
      *run(io, { oracle: to, tearOff }): FlowBody<string> {
        const session = yield* io.initiate(to)
        const answer = yield* io.attempt(session.sendAndReceive({ type: 'signPart', tearOff }, t.unknown))
        return isLeft(answer) ? String(answer.left.details['code']) : 'answered'
      },
    })
    await network.stop('Bob')
    await network.restart('Bob', { app: defineApp({ name: 'market', states: [Deal], flows: [Forge] }) })
    const forge = async (tearOff: Json): Promise<unknown> => {
      const handle = await network.node('Bob').start(Forge, { oracle: network.party('Oracle'), tearOff })
      await network.advanceBy({ minutes: 1 })
      return handle.result()
    }
    const id = 'a'.repeat(64)
    expect(await forge({ id, header: '{}', revealed: [], proof: [] })).to.equal('transaction-altered')
    expect(await forge({ id, header: 7 })).to.equal('message-invalid')
  })
})

describe('An error with a code of the app', () => {
  it('comes back with that code to whoever asks for the result', async () => {
    const Fail = defineFlow({
      name: 'market/Fail',
      input: t.strict({}),
      *run(io): FlowBody<void> {
        yield* io.now()
        throw new CarillonError('market/closed', 'The market is closed.', { until: 'Monday' })
      },
    })
    const app = defineApp({ name: 'market', states: [], flows: [Fail] })
    const network = await VirtualNetwork.start({ parties: { Ann: { app } } })
    const failure: unknown = await network
      .node('Ann')
      .run(Fail, {})
      .catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(CarillonError)
    expect(failure).to.include({ code: 'market/closed', consequence: 'fail', message: 'The market is closed.' })
    expect(failure).to.have.deep.property('details', { until: 'Monday' })
  })
})
