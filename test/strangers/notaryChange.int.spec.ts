/** A change of notary needs the consent of everyone whose states it moves, and cannot be left hanging. */
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import {
  CarillonError,
  ChangeNotary,
  CompleteNotaryChange,
  defineApp,
  defineCommand,
  defineFlow,
  defineState,
  PartyC,
  type Consent,
  type FlowBody,
  type StateRef,
} from 'carillon'
import { VirtualNetwork } from 'carillon/testing'
import { textToSign } from '../../src/identity/NetworkId.js'
import { sealBody, type TransactionBody } from '../../src/ledger/Transaction.js'
import { agreeTo, settle } from '../session/agreement.js'
import { Say, Stranger } from './Stranger.js'

const Act = defineCommand({ type: 'deed/Act' })
const Deed = defineState({
  type: 'deed/Deed',
  data: t.strict({ parties: t.readonlyArray(PartyC) }),
  participants: ({ parties }) => parties,
})
const Draw = defineFlow({
  name: 'deed/Draw',
  input: t.strict({ parties: t.readonlyArray(PartyC), notary: PartyC }),
  *run(io, { parties, notary }): FlowBody<StateRef> {
    return yield* settle(io, parties, (tx) => tx.notary(notary).produce(Deed, { parties }).command(Act, parties))
  },
})
const appWith = (changeNotary?: Consent) =>
  defineApp({
    name: 'deed',
    states: [Deed],
    flows: [Draw, agreeTo('deed/Draw'), Say],
    ...(changeNotary === undefined ? {} : { agreesTo: { changeNotary } }),
  })
const agreeing = appWith(() => right(undefined))

const start = async (seed: string, bob = agreeing, kind: 'validating' | 'nonValidating' = 'validating') => {
  const network = await VirtualNetwork.start({
    parties: {
      Bob: { app: bob },
      Alice: { app: agreeing },
      Mallory: { app: agreeing },
      Notary: { app: agreeing, notary: kind },
      Second: { app: agreeing, notary: kind },
    },
    seed,
  })
  const draw = async (...names: readonly string[]): Promise<StateRef> => {
    const parties = names.map((name) => network.party(name))
    const handle = await network.node(names[0] ?? '').start(Draw, { parties, notary: network.party('Notary') })
    await network.advanceBy({ minutes: 1 })
    return handle.result()
  }
  return { mallory: new Stranger(network, seed), network, draw }
}

const codeOf = async (run: Promise<unknown>): Promise<string> =>
  run.then(
    () => 'done',
    (error: unknown) => (error instanceof CarillonError ? error.code : String(error)),
  )

/** The change that a party proposes, as it is said to another. */
const changeOf = (
  { network, ...mallory }: Stranger,
  ref: StateRef,
  data: unknown,
  names: readonly string[],
): TransactionBody => ({
  inputs: [ref],
  references: [],
  outputs: [
    {
      type: 'deed/Deed',
      version: 1,
      contract: { name: 'carillon/participants-sign', version: 1 },
      data: data as never,
    },
  ],
  commands: [{ type: 'carillon/ChangeNotary', data: null }],
  signers: [names.map((name) => network.party(name).key)],
  notary: network.party('Notary'),
  newNotary: network.party('Second'),
  salt: `${mallory.seed.length}`.padEnd(32, 'a'),
})

describe('A change of notary', () => {
  for (const kind of ['validating', 'nonValidating'] as const)
    it(`is not signed for a stranger, who takes no part, under a ${kind} notary`, async () => {
      const { mallory, network, draw } = await start(`stranger ${kind}`, agreeing, kind)
      const ref = await draw('Bob')
      const body = changeOf(mallory, ref, { parties: [network.party('Bob')] }, ['Bob'])
      const asked = await mallory.say('Bob', 'carillon/ChangeNotary', {
        type: 'sign',
        transaction: { body, signatures: [] },
      })
      expect(asked).to.deep.equal([{ type: 'refused', reason: 'Mallory does not take part in all of the states.' }])
    })

  it('is refused unless the app agrees, and the app hears who asks', async () => {
    const heard: string[] = []
    const asked = async (seed: string, bob: ReturnType<typeof appWith>): Promise<string> => {
      const { network, draw } = await start(seed, bob)
      const states = [await draw('Alice', 'Bob')]
      const handle = await network.node('Alice').start(ChangeNotary, { states, notary: network.party('Second') })
      await network.advanceBy({ minutes: 1 })
      return codeOf(handle.result())
    }
    expect(await asked('silent', appWith())).to.equal('signature-refused')
    const wary = appWith((transaction, from) => {
      heard.push(`${from.name} to ${transaction.newNotary?.name ?? ''}`)
      return left('not today')
    })
    expect(await asked('wary', wary)).to.equal('signature-refused')
    expect(heard).to.include('Alice to Second')
    expect(await asked('agreed', agreeing)).to.equal('done')
  })

  for (const kind of ['validating', 'nonValidating'] as const)
    it(`whose finality never came is completed from one's own log, under a ${kind} notary`, async () => {
      const { mallory, network, draw } = await start(`withheld ${kind}`, agreeing, kind)
      const ref = await draw('Mallory', 'Bob')
      const parties = ['Mallory', 'Bob'].map((name) => network.party(name))
      const body = changeOf(mallory, ref, { parties }, ['Mallory', 'Bob'])
      const { id } = sealBody(body)
      const [answer] = await mallory.say('Bob', 'carillon/ChangeNotary', {
        type: 'sign',
        transaction: mallory.sign(body),
      })
      expect(answer).to.have.property('type', 'signature')
      // Mallory has the notary consume the state, and keeps the result to herself.
      const callerSignature = mallory.key('Mallory').sign(textToSign('notary request', network.map.id, id))
      if (kind === 'validating') {
        const request = { type: 'whole', transaction: mallory.sign(body, ['Mallory', 'Bob']), callerSignature }
        const [signed] = await mallory.say('Notary', 'carillon/Notarise', { type: 'notarise', request })
        expect(signed).to.have.property('type')
      }
      await network.crash('Bob')
      await network.restart('Bob')
      const handle = await network.node('Bob').start(CompleteNotaryChange, { transaction: id })
      await network.advanceBy({ minutes: 2 })
      expect(await codeOf(handle.result())).to.equal('done')
      const [held] = await network.node('Bob').states(Deed)
      expect(held?.ref).to.deep.equal({ transaction: id, index: 0 })
      // It is final now, and there is nothing left to complete.
      const again = await network.node('Bob').start(CompleteNotaryChange, { transaction: id })
      await network.advanceBy({ minutes: 1 })
      expect(await codeOf(again.result())).to.equal('state-unknown')
    })
})
