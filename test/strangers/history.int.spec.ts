/** What a hostile member can do with the history of a transaction that this node is handed: little, and no more than its budget. */
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import {
  defineApp,
  defineContract,
  defineResponder,
  defineState,
  JsonC,
  PartyC,
  type FlowBody,
  type StateRef,
} from 'carillon'
import { VirtualNetwork } from 'carillon/testing'
import type { Json } from '../../src/encoding/canonical.js'
import { sha256 } from '../../src/encoding/hash.js'
import { SignRequestC } from '../../src/finality/protocol.js'
import type { SignedTransaction } from '../../src/ledger/SignedTransaction.js'
import { dependenciesOf } from '../../src/ledger/Transaction.js'
import type { Message } from '../../src/log/Message.js'
import { logLimits } from '../../src/log/limits.js'
import { sessionIdOf } from '../../src/log/SessionId.js'
import type { SessionLimits } from '../../src/session/limits.js'
import { app as chainApp, Grow, Share, Touch } from '../session/chain.js'
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

/** As {@link give}, of more than a flow of hers could even be started with; gives how many bytes were sent. */
const pour = async (stranger: Stranger, chain: readonly SignedTransaction[]): Promise<number> => {
  const { network } = stranger
  const endpoint = network.transport.endpoint(stranger.party('Mallory').key)
  endpoint.listen(() => undefined)
  const nonce = sha256(stranger.seed)
  const session = sessionIdOf(stranger.party('Mallory').key, nonce)
  const said: readonly unknown[] = [
    { type: 'finality', transaction: chain.at(-1) },
    ...chain.slice(0, -1).map((each) => ({ type: 'history', transactions: [each] })),
    { type: 'historyEnd' },
  ]
  const opening = { kind: 'open', flow: 'history/Give', version: 1, nonce } as const
  const messages: readonly Message[] = [
    opening,
    ...said.map((payload): Message => ({ kind: 'data', payload: JSON.parse(JSON.stringify(payload)) as Json })),
  ]
  endpoint.send(
    stranger.party('Bob').key,
    messages.map((message, seq) => ({ kind: 'message', session, from: 'initiator', seq, message })),
  )
  await network.advanceBy({ minutes: 1 })
  return JSON.stringify(messages).length
}

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

  it('in many small pages of which each leaves much to be looked for fills no log', async () => {
    const mallory = await start('small pages')
    const chain = [...chainOf(mallory, 30, 'short')]
    const last = chain.at(-1)
    if (last === undefined) throw new Error('no chain')
    // From here on so much is missing after each of the pages.
    const wide = noteOf(mallory, [outputOf(last), ...nowhere('wide', 1_300)], 'wide')
    const sent = await pour(mallory, [...chain, wide, noteOf(mallory, [outputOf(wide)], 'newest')])
    const { network } = mallory
    const [failed] = (await network.node('Bob').flows({ name: 'history/Take' })).items
    expect([failed?.status, failed?.error?.code]).to.deep.equal(['failed', 'member-budget-exceeded'])
    let recorded = 0
    for await (const { events } of network.node('Bob').readLog()) recorded += Buffer.byteLength(events.join(''))
    expect(recorded).to.be.lessThan(6 * sent + logLimits.factBytes)
    expect((await recordedBy(network, 'Bob')).all).to.deep.equal([])
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
    await pour(mallory, chain)
    expect((await recordedBy(network, 'Bob')).all).to.deep.equal([])
    expect(network.node('Bob').stopped).to.equal(undefined)
    const [failed] = (await network.node('Bob').flows({ name: 'history/Take' })).items
    expect([failed?.status, failed?.error?.code]).to.deep.equal(['failed', 'fact-too-large'])
    await network.crash('Mallory')
    await network.restart('Mallory')
    expect(await give(mallory, chainOf(mallory, 3, 'sound'))).to.deep.equal({ type: 'recorded' })
  })
})

/** Is shown a transaction to sign, and asks for its history twice, as if it held nothing of it. */
const Greedy = defineResponder({
  name: 'history/Greedy',
  respondsTo: 'chain/Share',
  *run(_io, session): FlowBody<void> {
    const { transaction } = yield* session.receive(SignRequestC)
    for (let asked = 0; asked < 2; asked++) {
      yield* session.send({ type: 'fetch', ids: [...dependenciesOf(transaction.body)] })
      for (let type = ''; type !== 'historyEnd';) {
        ;({ type } = yield* session.receive(t.type({ type: t.string })))
        if (type === 'ancestors') yield* session.send({ type: 'held', ids: [] })
      }
    }
    yield* session.receive(JsonC)
  },
})

describe('History that another party asks for', () => {
  it('is sent once for each transaction that it is shown, however often it asks', async () => {
    const network = await VirtualNetwork.start({
      parties: {
        Alice: { app: chainApp },
        Mallory: { app: defineApp({ ...chainApp, name: 'greedy', flows: [Grow, Share, Touch, Greedy] }) },
        Notary: { app: chainApp, notary: 'nonValidating' },
      },
      seed: 'asked twice',
    })
    const grown = await network.node('Alice').start(Grow, { from: null, steps: 3, notary: network.party('Notary') })
    await network.advanceBy({ minutes: 1 })
    const link = await grown.result()
    if (link === null) throw new Error('nothing grew')
    const signers = [network.party('Mallory')]
    const input = { links: [link], signers, participants: signers, observers: [], dueAt: null }
    const { id } = await network.node('Alice').start(Share, input)
    await network.advanceBy({ minutes: 5 })
    const flow = await network.node('Alice').flow(id)
    expect([flow?.status, flow?.error?.code]).to.deep.equal(['failed', 'message-invalid'])
    let sent = 0
    for await (const { events } of network.node('Alice').readLog())
      sent += events.filter((line) => line.includes('"type":"MessageSent"') && line.includes('"historyEnd"')).length
    expect(sent).to.equal(1)
  })
})
