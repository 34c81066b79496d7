/** What a hostile member cannot do by saying once more what was good once, or by versions that do not exist. */
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { defineApp, defineContract, defineResponder, defineState, IntegerC, PartyC, type FlowBody } from 'carillon'
import { VirtualNetwork } from 'carillon/testing'
import { idOf, recordedBy, Say, Stranger } from './Stranger.js'

const Sale = defineState({
  type: 'shop/Sale',
  data: t.strict({ seller: PartyC, buyer: PartyC, number: IntegerC }),
  contract: defineContract({
    name: 'shop/Sale',
    version: 2,
    verify: () => right(undefined),
    earlier: { 1: () => right(undefined) },
  }),
  participants: ({ seller, buyer }) => [seller, buyer],
})

const shipped: string[] = []
/** Sells twice in one session. */
const SellTwice = defineResponder({
  name: 'shop/SellTwice',
  respondsTo: 'shop/BuyTwice',
  *run(io, session): FlowBody<void> {
    for (const round of ['first', 'second']) {
      yield* io.signProposal(session, () => right(undefined))
      const { id } = yield* io.receiveFinality(session)
      yield* io.step(`ship ${round}`, () => void shipped.push(id))
    }
  },
})

const app = defineApp({ name: 'shop', states: [Sale], flows: [SellTwice, Say] })

const start = async (seed: string): Promise<Stranger> =>
  new Stranger(
    await VirtualNetwork.start({
      parties: { Bob: { app }, Mallory: { app }, Notary: { app, notary: 'validating' } },
      seed,
    }),
    seed,
  )

describe('What was good once', () => {
  const sale = (mallory: Stranger, number: number, version = 2) => {
    const [seller, buyer] = [mallory.party('Bob'), mallory.party('Mallory')]
    const made = mallory.body({
      produces: [{ type: 'shop/Sale', contract: 'shop/Sale', data: { seller, buyer, number } }],
      signers: [[seller.key, buyer.key]],
    })
    return {
      ...made,
      outputs: made.outputs.map((output) => ({ ...output, contract: { ...output.contract, version } })),
    }
  }

  it('is received as final once: the second sale of a session is not settled by the first', async () => {
    const mallory = await start('twice')
    const [first, second] = [sale(mallory, 1), sale(mallory, 2)]
    const final = mallory.sign(first, ['Mallory', 'Bob'])
    const answers = await mallory.say(
      'Bob',
      'shop/BuyTwice',
      { type: 'sign', transaction: mallory.sign(first) },
      { type: 'finality', transaction: final },
      { type: 'sign', transaction: mallory.sign(second) },
      { type: 'finality', transaction: final },
    )
    expect(answers.at(-1)).to.deep.equal({ error: 'finality-unexpected' })
    expect(shipped).to.deep.equal([idOf(final)])
    expect((await recordedBy(mallory.network, 'Bob')).all).to.deep.equal([idOf(final)])
  })

  it('is not signed again, in that session or another, so that nothing is shipped twice for one sale', async () => {
    const mallory = await start('again')
    const final = mallory.sign(sale(mallory, 3), ['Mallory', 'Bob'])
    const proposed = { type: 'sign', transaction: mallory.sign(final.body) }
    const finality = { type: 'finality', transaction: final }
    const before = shipped.length
    const again = await mallory.say('Bob', 'shop/BuyTwice', proposed, finality, proposed, finality)
    expect(again.at(-1)).to.deep.equal({ error: 'message-invalid' })
    const other = await mallory.say('Bob', 'shop/BuyTwice', proposed, finality)
    expect(other.at(-1)).to.deep.equal({ error: 'message-invalid' })
    expect(shipped.slice(before)).to.deep.equal([idOf(final)])
  })

  it('is not signed in two sessions side by side', async () => {
    const mallory = await start('side by side')
    const proposed = { type: 'sign', transaction: mallory.sign(sale(mallory, 4)) }
    const [one, other] = [
      await mallory.say('Bob', 'shop/BuyTwice', proposed),
      await mallory.say('Bob', 'shop/BuyTwice', proposed),
    ]
    expect(one.at(-1)).to.have.property('type', 'signature')
    expect(other).to.deep.equal([{ error: 'message-invalid' }])
  })

  for (const version of [0, -1, 3, Number.MAX_SAFE_INTEGER, 1.5])
    it(`cannot name version ${version} of its contract`, async () => {
      const mallory = await start(`version ${version}`)
      const proposed = { type: 'sign', transaction: mallory.sign(sale(mallory, 5, version)) }
      const expected = Number.isInteger(version) ? 'contract-unknown' : 'message-invalid'
      expect(await mallory.say('Bob', 'shop/BuyTwice', proposed)).to.deep.equal([{ error: expected }])
    })
})
