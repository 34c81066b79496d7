/** What becomes of a transaction when the one who is asked to sign answers with something else. */
import { expect } from 'chai'
import * as t from 'io-ts'
import {
  defineApp,
  defineCommand,
  defineFlow,
  defineResponder,
  defineState,
  JsonC,
  PartyC,
  StateRefC,
  type CarillonError,
  type FlowBody,
  type Json,
  type StateRef,
} from 'carillon'
import { keyPairFromSeed, VirtualNetwork } from 'carillon/testing'
import { sha256 } from '../../src/encoding/hash.js'
import { signTransaction, type TransactionSignature } from '../../src/ledger/signatures.js'
import { sealBody, type TransactionBody } from '../../src/ledger/Transaction.js'
import type { TransactionId } from '../../src/ledger/TransactionId.js'
import { settle } from './agreement.js'

const Act = defineCommand({ type: 'pact/Act' })
const Pact = defineState({
  type: 'pact/Pact',
  data: t.strict({ parties: t.readonlyArray(PartyC) }),
  participants: ({ parties }) => parties,
})
const Begin = defineFlow({
  name: 'pact/Begin',
  input: t.strict({}),
  *run(io): FlowBody<StateRef> {
    return yield* settle(io, [io.me], (draft) => draft.produce(Pact, { parties: [io.me] }).command(Act, [io.me]))
  },
})
const Join = defineFlow({
  name: 'pact/Join',
  input: t.strict({ pact: StateRefC, with: PartyC }),
  *run(io, { pact, with: other }): FlowBody<StateRef> {
    const current = yield* io.load(Pact, pact)
    const parties = [io.me, other]
    return yield* settle(io, parties, (draft) =>
      draft.consume(current).produce(Pact, { parties }).command(Act, parties),
    )
  },
})

/** Answers whatever it likes to a proposal. */
const answering = (answer: (id: TransactionId) => Json) =>
  defineApp({
    name: 'pact',
    states: [Pact],
    flows: [
      Begin,
      Join,
      defineResponder({
        name: 'pact/Answer',
        respondsTo: 'pact/Join',
        *run(_io, session): FlowBody<void> {
          const { transaction } = yield* session.receive(t.type({ transaction: t.type({ body: JsonC }) }))
          const { id } = sealBody(transaction.body as unknown as TransactionBody)
          yield* session.send(answer(id))
          yield* session.receive(JsonC)
        },
      }),
    ],
  })

const seed = 'wrong signatures'
const keyOf = (name: string) => keyPairFromSeed(sha256(`key of ${name} ${seed}`))
const networkId = sha256(`network ${seed}`)
const answerOf = (signature: TransactionSignature): Json => ({ type: 'signature', signature: signature as never })
const mallorys = (id: TransactionId) => signTransaction(keyOf('Mallory'), networkId, id)

const answers: Readonly<Record<string, readonly [string, (id: TransactionId) => Json]>> = {
  'a signature over another transaction': [
    'signature-invalid',
    () => answerOf(signTransaction(keyOf('Mallory'), networkId, sha256('another'))),
  ],
  "someone else's signature": ['signature-invalid', (id) => answerOf(signTransaction(keyOf('Alice'), networkId, id))],
  "a signature of its own under someone else's name": [
    'signature-invalid',
    (id) => answerOf({ ...mallorys(id), by: keyOf('Notary').publicKey }),
  ],
  'a proof of a place in no tick': [
    'signature-invalid',
    (id) => answerOf({ ...mallorys(id), tick: { hash: sha256('a tick'), index: 1, count: 2, path: [] } }),
  ],
  'a signature made in another network': [
    'signature-invalid',
    (id) => answerOf(signTransaction(keyOf('Mallory'), sha256('another network'), id)),
  ],
  'a signature that was bent': ['signature-invalid', (id) => answerOf({ ...mallorys(id), signature: 'AAAA' })],
  'something that is no signature': ['message-invalid', () => ({ type: 'signature', signature: 'yes' })],
  'nothing it was asked for': ['message-invalid', () => ['hello']],
}

describe('A signer that answers a proposal with', () => {
  for (const [what, [code, answer]] of Object.entries(answers))
    it(`${what} ends the flow with ${code}, and nothing is recorded or consumed`, async () => {
      const app = answering(answer)
      const network = await VirtualNetwork.start({
        parties: { Alice: { app }, Mallory: { app }, Notary: { app, notary: 'nonValidating' } },
        seed,
      })
      const alice = network.node('Alice')
      const pact = await alice.run(Begin, {})
      const handle = await alice.start(Join, { pact, with: network.party('Mallory') })
      await network.advanceBy({ minutes: 5 })
      const failure: unknown = await handle.result().catch((error: unknown) => error)
      expect((failure as CarillonError).code).to.equal(code)
      expect((await alice.states(Pact)).map(({ ref }) => ref)).to.deep.equal([pact])
      for (const name of ['Mallory', 'Notary'])
        expect((await network.node(name).queryVault({ status: 'all', includeIrrelevant: true })).items).to.deep.equal(
          [],
        )
    })
})
