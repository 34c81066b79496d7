/** An oracle signs what it means, whatever a customer tears off. */
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { commandsShown, defineApp, defineCommand, defineResponder, IntegerC, type FlowBody, type Json } from 'carillon'
import { VirtualNetwork } from 'carillon/testing'
import { tearOff, type Reveal } from '../../src/ledger/TearOff.js'
import { componentsOf, sealBody, type TransactionBody } from '../../src/ledger/Transaction.js'
import { Say, Stranger } from './Stranger.js'

const Price = defineCommand({ type: 'oracle/Price', data: t.strict({ is: IntegerC }) })
const Confirm = defineResponder({
  name: 'oracle/Confirm',
  respondsTo: 'shop/Ask',
  *run(io, session): FlowBody<void> {
    yield* io.signTearOff(session, Price, (shown) =>
      commandsShown(shown, Price).every(({ is }) => is === 4) ? right(undefined) : left('the price is 4'),
    )
  },
})
const app = defineApp({ name: 'oracle', states: [], flows: [Confirm, Say] })

const start = async (seed: string): Promise<Stranger> =>
  new Stranger(
    await VirtualNetwork.start({
      parties: { Oracle: { app }, Mallory: { app }, Notary: { app, notary: 'nonValidating' } },
      seed,
    }),
    seed,
  )

const ask = async (
  mallory: Stranger,
  parts: Partial<TransactionBody>,
  shows: Reveal = (group) => group === 'signers' || group === 'commands',
): Promise<Json> => {
  const body = mallory.body({ produces: [{ type: 'shop/Deal', data: {} }], ...parts })
  const torn = tearOff(sealBody(body).id, componentsOf(body), shows)
  const [answer] = await mallory.say('Oracle', 'shop/Ask', { type: 'signPart', tearOff: torn })
  return answer ?? null
}

describe('A party that signs a part', () => {
  const price = (is: number) => ({ type: 'oracle/Price', data: { is } })
  const dummy = { type: 'shop/Dummy', data: null }
  const key = (mallory: Stranger, name: string) => mallory.party(name).key

  it('signs for the commands it means', async () => {
    const mallory = await start('right')
    const answer = await ask(mallory, { commands: [price(4)], signers: [[key(mallory, 'Oracle')]] })
    expect(answer).to.have.property('type', 'signature')
  })

  it('refuses when no command asks for it, or one of another kind does', async () => {
    const mallory = await start('wrong')
    const [oracle, me] = [key(mallory, 'Oracle'), key(mallory, 'Mallory')]
    const cases: Readonly<Record<string, Promise<Json>>> = {
      'no command asks for it': ask(mallory, { commands: [price(4)], signers: [[me]] }),
      'a dummy asks for it, and the price is for the shop alone': ask(mallory, {
        commands: [price(99), dummy],
        signers: [[me], [oracle]],
      }),
      'a dummy asks for it beside a right price': ask(mallory, {
        commands: [price(4), dummy],
        signers: [[oracle], [oracle]],
      }),
      'the dummy is hidden': ask(
        mallory,
        { commands: [price(4), dummy], signers: [[oracle], [oracle]] },
        (group, index) => group === 'signers' || (group === 'commands' && index === 0),
      ),
      'who signs is hidden': ask(
        mallory,
        { commands: [price(4)], signers: [[oracle]] },
        (group) => group === 'commands',
      ),
      'there are more signers than commands': ask(mallory, { commands: [price(4)], signers: [[oracle], [oracle]] }),
      'there are fewer': ask(mallory, { commands: [dummy, price(4)], signers: [[oracle]] }),
      'in a composite key of a dummy': ask(mallory, {
        commands: [price(4), dummy],
        signers: [[oracle], [{ threshold: 1, children: [oracle, me].map((one) => ({ key: one, weight: 1 })) }]],
      }),
    }
    for (const [what, asked] of Object.entries(cases)) expect(await asked, what).to.have.property('type', 'refused')
  })
})
