/** What a party believes of a transaction it is handed: nothing that it has not checked back to the origins. */
import { expect } from 'chai'
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import { defineApp, defineFlow, JsonC, PartyC, type FlowBody, type Json, type StateRef } from 'carillon'
import { decodeEvent } from 'carillon/logs'
import { keyPairFromSeed, VirtualNetwork } from 'carillon/testing'
import { sha256 } from '../../src/encoding/hash.js'
import { signaturesOfTick, signTransaction } from '../../src/ledger/signatures.js'
import { signTick } from '../../src/log/TickSigner.js'
import type { SignedTransaction } from '../../src/ledger/SignedTransaction.js'
import { sealBody, type TransactionBody } from '../../src/ledger/Transaction.js'
import { changeNotaryCommand } from '../../src/vault/verifyResolved.js'
import { app, Grow } from './chain.js'

/** Hands over whatever it is given, with whatever history it is given. */
const Hand = defineFlow({
  name: 'carillon/Broadcast',
  input: t.strict({ to: PartyC, final: JsonC, history: t.readonlyArray(JsonC) }),
  *run(io, { to, final, history }): FlowBody<Json> {
    const session = yield* io.initiate(to)
    const answer = yield* session.sendAndReceive({ type: 'finality', transaction: final }, t.UnknownRecord)
    if (answer['type'] !== 'fetch') return 'recorded'
    yield* session.send({ type: 'history', transactions: history })
    yield* session.send({ type: 'historyEnd' })
    yield* session.receive(t.UnknownRecord)
    return 'recorded'
  },
})

const Forge = defineFlow({
  name: 'forgery/Forge',
  input: t.strict({ to: PartyC, final: JsonC, history: t.readonlyArray(JsonC) }),
  *run(io, input): FlowBody<Json> {
    const handed = yield* io.attempt(io.subFlow(Hand, input))
    return isLeft(handed) ? String(handed.left.details['code'] ?? handed.left.code) : handed.right
  },
})

const hostile = defineApp({ ...app, flows: [...app.flows, Forge] })

const seed = 'forgery'
const keyOf = (name: string) => keyPairFromSeed(sha256(`key of ${name} ${seed}`))
const networkId = sha256(`network ${seed}`)

/** Signs a body anew, as the named parties would. */
const signedBy = (body: TransactionBody, ...names: readonly string[]): SignedTransaction => ({
  body,
  signatures: names.map((name) => signTransaction(keyOf(name), networkId, sealBody(body).id)),
})

const recordedBy = async (network: VirtualNetwork, name: string): Promise<readonly SignedTransaction[]> => {
  const found: SignedTransaction[] = []
  for await (const { events, firstRevision } of network.node(name).readLog()) {
    for (const [index, line] of events.entries()) {
      const event = decodeEvent(line, firstRevision + index)
      if (event.type === 'TransactionRecorded')
        found.push({ body: event.body as TransactionBody, signatures: event.signatures ?? [] })
    }
  }
  return found
}

describe('A transaction handed over by another party', () => {
  const setUp = async () => {
    const network = await VirtualNetwork.start({
      parties: {
        Alice: { app: hostile },
        Bob: { app },
        Notary: { app, notary: 'nonValidating' },
        Second: { app, notary: 'nonValidating' },
      },
      seed,
    })
    await network.node('Alice').start(Grow, { from: null, steps: 3, notary: network.party('Notary') })
    await network.advanceBy({ minutes: 1 })
    const [first, second, third] = await recordedBy(network, 'Alice')
    if (first === undefined || second === undefined || third === undefined) throw new Error('no chain')
    return { network, first, second, third }
  }
  const hand = async (network: VirtualNetwork, final: SignedTransaction, ...history: readonly SignedTransaction[]) => {
    const input = { to: network.party('Bob'), final: final as unknown as Json, history: history as unknown as Json[] }
    const handle = await network.node('Alice').start(Forge, input)
    await network.advanceBy({ minutes: 1 })
    return handle.result()
  }

  it('is recorded with its history when all of it is genuine', async () => {
    const { network, first, second, third } = await setUp()
    expect(await hand(network, third, first, second)).to.equal('recorded')
    expect(await recordedBy(network, 'Bob')).to.deep.equal([first, second, third])
  })

  it('is recorded with signatures of ticks, each by its proof, and refused with a proof of another place', async () => {
    const { network, first, second, third } = await setUp()
    const others = ['one', 'two', 'three'].map((text) => sha256(text))
    const hash = sha256('some tick')
    /** Every signature of a transaction, made anew in a tick with others. */
    const inTick = ({ body, signatures }: SignedTransaction, place: number, shownAt = place): SignedTransaction => {
      const ids = [...others.slice(0, place), sealBody(body).id, ...others.slice(place)]
      return {
        body,
        signatures: signatures.map(({ by }) => {
          const name = network.map.member(by)?.party.name ?? ''
          const signature = signTick(keyOf(name), networkId, hash, ids)
          const made = signaturesOfTick(by, hash, ids, signature)[shownAt]
          if (made === undefined) throw new Error('no such place')
          return made
        }),
      }
    }
    expect(await hand(network, third, inTick(first, 3, 0), second)).to.equal('signature-invalid')
    expect(await recordedBy(network, 'Bob')).to.deep.equal([])
    expect(await hand(network, inTick(third, 1, 2), inTick(first, 0), inTick(second, 3))).to.equal('signature-invalid')
    expect(await hand(network, inTick(third, 2), inTick(first, 0), inTick(second, 3))).to.equal('recorded')
    expect((await recordedBy(network, 'Bob')).map(({ body }) => sealBody(body).id)).to.deep.equal(
      [first, second, third].map(({ body }) => sealBody(body).id),
    )
  })

  type Parts = Awaited<ReturnType<typeof setUp>>
  const counting = (body: TransactionBody, count: number): TransactionBody => ({
    ...body,
    outputs: body.outputs.map((output) => ({ ...output, data: { ...(output.data as object), count } })),
  })
  const under = (body: TransactionBody, { network }: Parts, name: string): TransactionBody => ({
    ...body,
    notary: network.party(name),
  })
  /** The next link of a forged one, signed by all who must. */
  const after = (body: TransactionBody, next: TransactionBody): TransactionBody => ({
    ...next,
    inputs: [{ transaction: sealBody(body).id, index: 0 }],
  })
  const forgeries: Readonly<Record<string, (parts: Parts) => readonly [string, ...SignedTransaction[]]>> = {
    'a body that was altered': ({ first, second }) => [
      'message-invalid',
      second,
      { ...first, body: { ...first.body, salt: sha256('another').slice(0, 32) } },
    ],
    'a body that was altered and signed anew by its owner alone': ({ first, second }) => {
      const altered = { ...second.body, salt: 'a'.repeat(32) }
      return ['signature-missing', signedBy(altered, 'Alice'), first]
    },
    'an origin that breaks its contract': ({ first, second }) => {
      const origin = counting(first.body, 41)
      return [
        'contract-violated',
        signedBy(after(origin, counting(second.body, 42)), 'Alice', 'Notary'),
        signedBy(origin, 'Alice'),
      ]
    },
    'signatures that were made in another network': ({ first, second }) => {
      const { id } = sealBody(second.body)
      const elsewhere = sha256('another network')
      const signatures = ['Alice', 'Notary'].map((name) => signTransaction(keyOf(name), elsewhere, id))
      return ['signature-invalid', { body: second.body, signatures }, first]
    },
    'no signature of its owner': ({ first, second }) => ['signature-missing', signedBy(second.body, 'Notary'), first],
    'a notary that is only a party': (parts) => {
      const origin = under(parts.first.body, parts, 'Alice')
      const next = under(after(origin, parts.second.body), parts, 'Alice')
      return ['notary-unknown', signedBy(next, 'Alice'), signedBy(origin, 'Alice')]
    },
    'a history of which the newest is kept back': ({ first, third }) => ['message-invalid', third, first],
    'another contract than the one that governs its states': ({ first }) => {
      const outputs = first.body.outputs.map((output) => ({
        ...output,
        contract: { name: 'carillon/participants-sign', version: 1 },
      }))
      return ['transaction-malformed', signedBy({ ...first.body, outputs }, 'Alice')]
    },
  }
  for (const [what, make] of Object.entries(forgeries)) {
    it(`is refused with ${what}`, async () => {
      const parts = await setUp()
      const [code, final, ...history] = make(parts)
      if (final === undefined) throw new Error('nothing to hand over')
      expect(await hand(parts.network, final, ...history)).to.equal(code)
      const genuine = new Set([parts.first, parts.second, parts.third].map(({ body }) => sealBody(body).id))
      for (const { body } of await recordedBy(parts.network, 'Bob'))
        expect(genuine.has(sealBody(body).id), 'only what is genuine is ever recorded').to.equal(true)
      // And what is genuine is still welcome.
      expect(await hand(parts.network, parts.third, parts.first, parts.second)).to.equal('recorded')
    })
  }

  describe('that changes the notary of a state', () => {
    /** The change that Alice may really make, signed by whoever is named. */
    const changeOf = ({ network, third }: Parts): TransactionBody => ({
      inputs: [{ transaction: sealBody(third.body).id, index: 0 }],
      references: [],
      outputs: third.body.outputs,
      commands: [{ type: changeNotaryCommand, data: null }],
      signers: [[network.party('Alice').key]],
      notary: network.party('Notary'),
      newNotary: network.party('Second'),
      salt: 'c'.repeat(32),
    })
    const forged: Readonly<
      Record<string, readonly [string, (change: TransactionBody, parts: Parts) => SignedTransaction]>
    > = {
      'that the notary it leads from has not signed': ['signature-missing', (change) => signedBy(change, 'Alice')],
      'that only the notary it leads to has signed': [
        'notary-unknown',
        (change, parts) => signedBy(under(change, parts, 'Second'), 'Alice', 'Second'),
      ],
      'that its owner has not signed': ['signature-missing', (change) => signedBy(change, 'Notary')],
      'that asks for no signature of its owner': [
        'transaction-malformed',
        (change, { network }) => signedBy({ ...change, signers: [[network.party('Second').key]] }, 'Second', 'Notary'),
      ],
      'that leads to a party that is no notary': [
        'notary-unknown',
        (change, { network }) => signedBy({ ...change, newNotary: network.party('Bob') }, 'Alice', 'Notary'),
      ],
      'that leads to where the state stands already': [
        'notary-unknown',
        (change, { network }) => signedBy({ ...change, newNotary: network.party('Notary') }, 'Alice', 'Notary'),
      ],
      'that changes the state too': [
        'transaction-malformed',
        (change) => signedBy(counting(change, 99), 'Alice', 'Notary'),
      ],
      'that makes more of the state': [
        'transaction-malformed',
        (change) => signedBy({ ...change, outputs: [...change.outputs, ...change.outputs] }, 'Alice', 'Notary'),
      ],
      'that commands something else as well': [
        'transaction-malformed',
        (change) =>
          signedBy(
            {
              ...change,
              commands: [...change.commands, { type: 'chain/Step', data: null }],
              signers: [...change.signers, ...change.signers],
            },
            'Alice',
            'Notary',
          ),
      ],
      'that consumes a state that is used up': [
        'state-consumed',
        (change, { first }) =>
          signedBy(
            { ...change, inputs: [{ transaction: sealBody(first.body).id, index: 0 }], outputs: first.body.outputs },
            'Alice',
            'Notary',
          ),
      ],
    }
    for (const [what, [code, make]] of Object.entries(forged))
      it(`is refused ${what}, as is what builds on it`, async () => {
        const parts = await setUp()
        const { network, first, second, third } = parts
        const change = make(changeOf(parts), parts)
        const id = sealBody(change.body).id
        // Bob holds the chain already, so that all depends on the change itself.
        expect(await hand(network, third, first, second)).to.equal('recorded')
        expect(await hand(network, change)).to.equal(code)
        const next = under({ ...third.body, inputs: [{ transaction: id, index: 0 }] }, parts, 'Second')
        expect(await hand(network, signedBy(counting(next, 3), 'Alice', 'Second'), change)).to.equal(code)
        expect(await recordedBy(network, 'Bob')).to.have.length(3)
        // The change that all have signed is taken, and what builds on it too.
        const genuine = signedBy(changeOf(parts), 'Alice', 'Notary')
        expect(await hand(network, genuine)).to.equal('recorded')
        const { id: moved } = sealBody(genuine.body)
        const after = under({ ...third.body, inputs: [{ transaction: moved, index: 0 }] }, parts, 'Second')
        expect(await hand(network, signedBy(counting(after, 3), 'Alice', 'Second'))).to.equal('recorded')
      })
  })

  it('is refused when its states stand under another notary than it does', async () => {
    const parts = await setUp()
    const moved = under({ ...parts.second.body, salt: 'b'.repeat(32) }, parts, 'Second')
    expect(await hand(parts.network, signedBy(moved, 'Alice', 'Second'), parts.first)).to.equal('notary-unknown')
    const ref: StateRef | undefined = parts.second.body.inputs[0]
    expect((await parts.network.node('Bob').queryVault({ includeIrrelevant: true })).items[0]?.ref).to.deep.equal(ref)
  })
})
