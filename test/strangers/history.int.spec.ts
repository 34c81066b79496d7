/** What a hostile member can do with the history of a transaction that this node is handed: little, and no more than its budget. */
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { defineApp, defineContract, defineResponder, defineState, PartyC, type FlowBody, type StateRef } from 'carillon'
import { VirtualNetwork } from 'carillon/testing'
import type { Json } from '../../src/encoding/canonical.js'
import { sha256 } from '../../src/encoding/hash.js'
import type { SignedTransaction } from '../../src/ledger/SignedTransaction.js'
import type { Message } from '../../src/log/Message.js'
import { sessionIdOf } from '../../src/log/SessionId.js'
import type { SessionLimits } from '../../src/session/limits.js'
import { idOf, outputOf, recordedBy, Say, Stranger } from './Stranger.js'

/** Its contract wants nobody's signature. */
const Note = defineState({
  type: 'history/Note',
  data: t.strict({ owner: PartyC, text: t.string }),
  contract: defineContract({ name: 'history/Note', verify: () => right(undefined) }),
  participants: ({ owner }) => [owner],
})
/** Takes whatever it is given, with its history. */
const Take = defineResponder({
  name: 'history/Take',
  respondsTo: 'history/Give',
  *run(io, session): FlowBody<void> {
    yield* io.receiveFinality(session, { any: true })
  },
})
const app = defineApp({ name: 'history', states: [Note], flows: [Take, Say] })

const start = async (seed: string, limits: Partial<SessionLimits> = {}): Promise<Stranger> =>
  new Stranger(
    await VirtualNetwork.start({
      parties: {
        Bob: { app, limits: { session: limits } },
        Alice: { app },
        Mallory: { app },
        Notary: { app, notary: 'validating' },
      },
      seed,
    }),
    seed,
  )

const noteOf = (stranger: Stranger, inputs: readonly StateRef[], text: string): SignedTransaction =>
  stranger.sign(
    stranger.body({
      inputs,
      produces: [{ type: 'history/Note', contract: 'history/Note', data: { owner: stranger.party('Bob'), text } }],
    }),
    inputs.length === 0 ? ['Mallory'] : ['Mallory', 'Notary'],
  )

/** A chain of notes, oldest first. */
const chainOf = (stranger: Stranger, length: number, text: string): readonly SignedTransaction[] => {
  const made: SignedTransaction[] = []
  for (let each = 0; each < length; each++) {
    const last = made.at(-1)
    made.push(noteOf(stranger, last === undefined ? [] : [outputOf(last)], `${each} ${text}`))
  }
  return made
}

/** Hands over the newest of these transactions, and the others as its history, a page each. */
const give = async (stranger: Stranger, chain: readonly SignedTransaction[]): Promise<unknown> => {
  const newest = chain.at(-1)
  if (newest === undefined) throw new Error('nothing to give')
  const older = chain.slice(0, -1)
  const answers = await stranger.say(
    'Bob',
    'history/Give',
    { type: 'finality', transaction: newest },
    { type: 'ancestors', ids: older.map(idOf) },
    [...older.map((each) => ({ type: 'history', transactions: [each] })), { type: 'historyEnd' }],
  )
  return answers.at(-1)
}

/** Refs to outputs that do not exist. */
const nowhere = (name: string, count: number): readonly StateRef[] =>
  Array.from({ length: count }, (_, index) => ({ transaction: sha256(`${name} ${index}`), index: 0 }))

describe('History that another party sends', () => {
  it('is kept up to so many bytes until all of it has come, and then nothing of it is recorded', async () => {
    const mallory = await start('bytes', { historyBytes: 40_000 })
    const text = 'x'.repeat(5_000)
    expect(await give(mallory, chainOf(mallory, 20, text))).to.deep.equal({ error: 'member-budget-exceeded' })
    expect((await recordedBy(mallory.network, 'Bob')).all).to.deep.equal([])
    // Less than that is taken.
    const chain = chainOf(mallory, 6, text)
    expect(await give(mallory, chain)).to.deep.equal({ type: 'recorded' })
    expect((await recordedBy(mallory.network, 'Bob')).all).to.deep.equal(chain.map(idOf))
  })

  it('is kept up to so many bytes, whatever its pages say beside the history', async () => {
    const mallory = await start('questions', { historyBytes: 40_000 })
    const [oldest, newest] = chainOf(mallory, 2, 'short')
    if (oldest === undefined || newest === undefined) throw new Error('no chain')
    const ids = Array.from({ length: 100 }, (_, index) => sha256(`unknown ${index}`))
    const answers = await mallory.say(
      'Bob',
      'history/Give',
      { type: 'finality', transaction: newest },
      ...Array.from({ length: 20 }, () => ({ type: 'ancestors', ids })),
      [{ type: 'history', transactions: [oldest] }, { type: 'historyEnd' }],
    )
    expect(answers.at(-1)).to.deep.equal({ error: 'member-budget-exceeded' })
    expect((await recordedBy(mallory.network, 'Bob')).all).to.deep.equal([])
  })

  it('that asks for more than a fact can hold ends the flow, and the node goes on', async () => {
    const mallory = await start('frontier')
    const { network } = mallory
    const chain: SignedTransaction[] = []
    for (let each = 0; each < 5; each++) {
      const last = chain.at(-1)
      const inputs = last === undefined ? [] : [outputOf(last)]
      chain.push(noteOf(mallory, [...inputs, ...nowhere(`note ${each}`, each === 4 ? 0 : 1_300)], `note ${each}`))
    }
    const older = chain.slice(0, -1)
    // A flow of hers could not even be started with so much to say.
    network.transport.endpoint(mallory.party('Mallory').key).listen(() => undefined)
    const nonce = sha256('frontier')
    const session = sessionIdOf(mallory.party('Mallory').key, nonce)
    const said: readonly unknown[] = [
      { type: 'finality', transaction: chain.at(-1) },
      ...older.map((each) => ({ type: 'history', transactions: [each] })),
      { type: 'historyEnd' },
    ]
    const opening = { kind: 'open', flow: 'history/Give', version: 1, nonce } as const
    const messages: readonly Message[] = [
      opening,
      ...said.map((payload): Message => ({ kind: 'data', payload: JSON.parse(JSON.stringify(payload)) as Json })),
    ]
    network.transport.endpoint(mallory.party('Mallory').key).send(
      mallory.party('Bob').key,
      messages.map((message, seq) => ({ kind: 'message', session, from: 'initiator', seq, message })),
    )
    await network.advanceBy({ minutes: 1 })
    expect((await recordedBy(network, 'Bob')).all).to.deep.equal([])
    expect(network.node('Bob').stopped).to.equal(undefined)
    const [failed] = (await network.node('Bob').flows({ name: 'history/Take' })).items
    expect([failed?.status, failed?.error?.code]).to.deep.equal(['failed', 'fact-too-large'])
    await network.crash('Mallory')
    await network.restart('Mallory')
    expect(await give(mallory, chainOf(mallory, 3, 'sound'))).to.deep.equal({ type: 'recorded' })
  })
})
