/** What one member may use of another's node: sessions, unread messages and bytes, messages in a minute, history. */
import { expect } from 'chai'
import * as t from 'io-ts'
import {
  CarillonError,
  defineApp,
  defineFlow,
  defineResponder,
  IntegerC,
  PartyC,
  type FlowBody,
  type Json,
} from 'carillon'
import { VirtualNetwork } from 'carillon/testing'
import { silentLogger, type LogFields, type Logger } from '../../src/engine/Logger.js'
import { emptyRange } from '../../src/encoding/MountainRange.js'
import { sha256 } from '../../src/encoding/hash.js'
import { signCheckpoint, type Checkpoint } from '../../src/log/Checkpoint.js'
import type { Envelope } from '../../src/log/Message.js'
import { sessionIdOf } from '../../src/log/SessionId.js'
import type { SessionLimits } from '../../src/session/limits.js'
import { NodeMetrics } from '../../src/telemetry/NodeMetrics.js'

/** Sends numbers, all at once. */
const Pour = defineFlow({
  name: 'budget/Pour',
  input: t.strict({ to: PartyC, count: IntegerC }),
  *run(io, { to, count }): FlowBody<number> {
    const session = yield* io.initiate(to)
    for (let number = 0; number < count; number++) yield* session.send({ number })
    return yield* session.receive(IntegerC)
  },
})
/** Reads them one a minute, and says whether they came in order. */
const Sip = defineResponder({
  name: 'budget/Sip',
  respondsTo: Pour,
  *run(io, session): FlowBody<void> {
    for (let number = 0; ; number++) {
      const heard = yield* session.receive(t.strict({ number: IntegerC }))
      if (heard.number !== number) throw new Error(`heard ${heard.number} instead of ${number}`)
      if (number % 10 === 0) yield* io.sleep({ minutes: 1 })
      if (number === 299) yield* session.send(number)
    }
  },
})
/** Says one thing, and waits for the end. */
const Greet = defineFlow({
  name: 'budget/Greet',
  input: t.strict({ to: PartyC }),
  *run(io, { to }): FlowBody<void> {
    const session = yield* io.initiate(to)
    yield* session.send('hello')
    yield* session.receive(t.never)
  },
})
/** Ends the session at once where it is told to, and has work for an hour after that. */
const Part = defineResponder({
  name: 'budget/Part',
  respondsTo: Greet,
  *run(io, session): FlowBody<void> {
    const word = yield* session.receive(t.string)
    if (word.startsWith('close')) yield* session.close()
    yield* io.sleep({ hours: 1 })
  },
})
const app = defineApp({ name: 'budget', states: [], flows: [Pour, Sip, Greet, Part] })

type Refusal = Extract<Envelope, { readonly kind: 'refused' }>

describe('A member of the network', () => {
  let network: VirtualNetwork
  const heard: Envelope[] = []

  const open = async (limits: Partial<SessionLimits>, logger?: Logger): Promise<void> => {
    network = await VirtualNetwork.start({
      ...(logger === undefined ? {} : { logger }),
      parties: { Alice: { app }, Bob: { app, limits: { session: limits } }, Mallory: { app } },
      seed: 'budgets',
    })
    heard.length = 0
  }
  /** From now on Mallory's node is silent, and Mallory speaks herself. */
  const impersonate = (): void =>
    network.transport.endpoint(network.party('Mallory').key).listen((_from, envelopes) => void heard.push(...envelopes))
  const post = (...envelopes: readonly Envelope[]): void =>
    network.transport.endpoint(network.party('Mallory').key).send(network.party('Bob').key, envelopes)
  const message = (session: string, seq: number, payload: Json = seq, flow = 'budget/Pour'): Envelope => {
    const nonce = sha256(session)
    const end = { session: sessionIdOf(network.party('Mallory').key, nonce), from: 'initiator', seq } as const
    return seq === 0
      ? { kind: 'message', ...end, message: { kind: 'open', flow, version: 1, nonce } }
      : { kind: 'message', ...end, message: { kind: 'data', payload: { number: payload } } }
  }
  const refusals = (): readonly Refusal[] => heard.flatMap((each) => (each.kind === 'refused' ? [each] : []))
  const events = async (type: string): Promise<number> =>
    (await network.inspect('Bob').log()).filter(({ event }) => event.type === type).length
  const aliceGoesOn = async (): Promise<void> => {
    const { id } = await network.node('Alice').start(Pour, { to: network.party('Bob'), count: 300 })
    await network.advanceBy({ hours: 2 })
    expect(await network.node('Alice').resultOf(id)).to.equal(299)
  }

  it('has so many sessions open and no more; the next is refused with a typed error and is not recorded', async () => {
    await open({ sessionsPerParty: 5 })
    impersonate()
    for (let each = 0; each < 50; each++) post(message(`session ${each}`, 0))
    await network.advanceBy({ seconds: 5 })
    expect(refusals()).to.have.length(45)
    expect(refusals()[0]).to.include({ code: 'member-budget-exceeded', seq: 0, from: 'responder' })
    expect(await events('SessionOpened')).to.equal(5)
    expect(await events('FlowStarted')).to.equal(5)
    await aliceGoesOn()
  })

  it('may open another session when one of its own has ended', async () => {
    await open({ sessionsPerParty: 1 })
    impersonate()
    post(message('first', 0), message('first', 1, 7))
    await network.advanceBy({ seconds: 1 })
    // The responder has failed, for 7 is no number to begin with.
    post(message('second', 0))
    await network.advanceBy({ seconds: 1 })
    expect(refusals()).to.have.length(0)
    expect(await events('FlowStarted')).to.equal(2)
  })

  it('is refused a session once and for all: a copy of its opening starts nothing, though there is room by then', async () => {
    await open({ sessionsPerParty: 1 })
    impersonate()
    post(message('first', 0), message('second', 0), message('second', 0))
    await network.advanceBy({ seconds: 1 })
    expect(refusals()).to.have.length(2)
    // The responder has failed, for 7 is no number to begin with; so there is room, and the copy is the first to come.
    post(message('first', 1, 7))
    await network.advanceBy({ seconds: 1 })
    post(message('second', 0))
    await network.advanceBy({ seconds: 1 })
    expect(refusals()).to.have.length(3)
    expect(refusals()[2]).to.deep.equal(refusals()[0])
    // One that comes in the same batch as the end of another session is judged once, too.
    post(message('third', 0), message('fourth', 0), message('third', 1, 7), message('fourth', 0))
    await network.advanceBy({ seconds: 1 })
    expect(await events('FlowStarted')).to.equal(2)
    expect(refusals()).to.have.length(5)
  })

  it('keeps a flow open that long with a session in which it says nothing, and no longer', async () => {
    await open({ sessionsPerParty: 3, firstMessageMs: 3_600_000 })
    const node = network.node('Bob')
    const metrics = new NodeMetrics()
    metrics.watch('bob', node)
    impersonate()
    for (const session of ['one', 'two', 'three']) post(message(session, 0))
    post(message('two', 1, 0))
    await network.advanceBy({ minutes: 59 })
    expect(await metrics.text()).to.contain('carillon_silent_sessions{node="bob"} 2')
    expect((await node.flows({ status: 'running' })).items).to.have.length(3)
    await network.advanceBy({ minutes: 2 })
    const failed = (await node.flows({ status: 'failed' })).items
    expect(failed).to.have.length(2)
    for (const { id } of failed)
      expect(await node.resultOf(id).catch((error: unknown) => error)).to.have.property('code', 'counterparty-silent')
    expect((await node.flows({ status: 'running' })).items).to.have.length(1)
    expect(await metrics.text()).to.contain('carillon_silent_sessions{node="bob"} 0')
    // What it says later is too late, and there is room for others.
    post(message('one', 1, 0), message('four', 0))
    await network.advanceBy({ seconds: 5 })
    expect((await node.flows({ status: 'running' })).items).to.have.length(2)
    await aliceGoesOn()
  })

  it('whose flow opens one session too many is told so, and its flow can catch it', async () => {
    await open({ sessionsPerParty: 2 })
    const start = () => network.node('Alice').start(Pour, { to: network.party('Bob'), count: 300 })
    const [, , third] = [await start(), await start(), await start()]
    await network.advanceBy({ minutes: 5 })
    const failure: unknown = await network
      .node('Alice')
      .resultOf(third.id)
      .catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(CarillonError)
    expect(failure).to.have.property('code', 'counterparty-failed')
    expect((failure as CarillonError).details).to.include({ party: 'Bob', code: 'member-budget-exceeded' })
    // Nothing of it is sent again and again.
    const status = await network.node('Alice').flows()
    expect(status.items.filter((flow) => flow.status === 'running')).to.have.length(2)
    await network.advanceBy({ hours: 2 })
    const log = (await network.inspect('Alice').log()).map(({ event }) => event.type)
    const count = (type: string): number => log.filter((each) => each === type).length
    expect(count('MessageSent')).to.equal(count('MessageAcknowledged'))
  })

  it('leaves so many messages unread and no more; the next is refused until they are read', async () => {
    await open({ unreadMessages: 20 })
    impersonate()
    post(message('one', 0), message('one', 1, 0))
    await network.advanceBy({ seconds: 1 })
    for (let seq = 2; seq < 200; seq++) post(message('one', seq, seq - 1))
    await network.advanceBy({ seconds: 5 })
    // The flow has asked for the first, and sleeps.
    expect(await events('MessageReceived')).to.equal(21)
    expect(refusals()).to.have.length(178)
    expect(refusals()[0]).to.include({ code: 'member-budget-exceeded', seq: 22, credit: 21, retryAfterMs: 1_000 })
    await network.advanceBy({ minutes: 2 })
    // It has read on, so Mallory hears of credit, and may go on.
    const told = heard.flatMap((each) => (each.kind === 'credit' ? [each.seq] : []))
    expect(Math.max(...told)).to.be.greaterThan(21)
    post(message('one', 21, 20))
    await network.advanceBy({ seconds: 1 })
    expect(await events('MessageReceived')).to.equal(22)
    await aliceGoesOn()
  })

  it('leaves so many bytes unread and no more, but what is asked for is always taken', async () => {
    await open({ unreadBytes: 10_000 })
    impersonate()
    post(message('one', 0))
    await network.advanceBy({ seconds: 1 })
    for (let seq = 2; seq < 50; seq++) post(message('one', seq, 'x'.repeat(3_000)))
    await network.advanceBy({ seconds: 1 })
    expect(await events('MessageReceived')).to.equal(4)
    expect(refusals()).to.have.length(45)
    post(message('one', 1, 0))
    await network.advanceBy({ seconds: 1 })
    expect(await events('MessageReceived')).to.equal(5)
  })

  it('leaves so many bytes unread over all of its sessions and no more, however many it has open', async () => {
    await open({ unreadBytesPerParty: 30_000 })
    const node = network.node('Bob')
    const metrics = new NodeMetrics()
    metrics.watch('bob', node)
    const unread = async (): Promise<number> =>
      Number(/carillon_unread_bytes\{node="bob"\} (\d+)/.exec(await metrics.text())?.[1])
    impersonate()
    for (let each = 0; each < 20; each++) post(message(`session ${each}`, 0))
    await network.advanceBy({ seconds: 1 })
    for (let seq = 2; seq < 5; seq++)
      for (let each = 0; each < 20; each++) post(message(`session ${each}`, seq, 'x'.repeat(3_000)))
    await network.advanceBy({ seconds: 1 })
    const before = await events('MessageReceived')
    expect(before).to.equal(20 + 9)
    expect(await unread()).to.be.within(9 * 3_000, 30_000)
    expect(refusals()).to.have.length(60 - 9)
    expect(refusals()[0]).to.include({ code: 'member-budget-exceeded', retryAfterMs: 1_000 })
    // The message that a flow waits for is always taken, and what has ended takes no room: text where it expects a number ends a flow.
    for (let each = 0; each < 20; each++) post(message(`session ${each}`, 1, 'x'))
    await network.advanceBy({ seconds: 1 })
    expect(await events('MessageReceived')).to.equal(before + 20)
    expect(await unread()).to.equal(0)
    // So there is room for as much again.
    for (let each = 0; each < 20; each++) post(message(`later ${each}`, 0))
    await network.advanceBy({ seconds: 1 })
    const again = await events('MessageReceived')
    for (let each = 0; each < 20; each++) post(message(`later ${each}`, 2, 'x'.repeat(3_000)))
    await network.advanceBy({ seconds: 1 })
    expect((await events('MessageReceived')) - again).to.equal(9)
    // What a crash rolls back, or a start reads anew, is counted alike.
    await network.crash('Bob')
    await network.restart('Bob')
    for (let each = 0; each < 20; each++) post(message(`later ${each}`, 3, 'x'.repeat(3_000)))
    await network.advanceBy({ seconds: 1 })
    expect((await events('MessageReceived')) - again).to.equal(9)
    await aliceGoesOn()
  })

  const opening = (session: string): Extract<Envelope, { readonly kind: 'message' }> => {
    const first = message(session, 0, null, 'budget/Greet')
    if (first.kind !== 'message') throw new Error('an opening is a message')
    return first
  }
  const say = (session: string, seq: number, payload: string): Envelope => ({
    ...opening(session),
    ...{ seq, message: { kind: 'data', payload } },
  })

  for (const [word, what] of [
    ['stay', 'asks for nothing else'],
    ['close', 'has closed the session'],
  ] as const)
    it(`is counted what no flow has asked for, and nothing that one has read, while it ${what}`, async () => {
      await open({ unreadBytesPerParty: 10_000 })
      const node = network.node('Bob')
      const metrics = new NodeMetrics()
      metrics.watch('bob', node)
      const unread = async (): Promise<number> =>
        Number(/carillon_unread_bytes\{node="bob"\} (\d+)/.exec(await metrics.text())?.[1])
      impersonate()
      const sessions = Array.from({ length: 10 }, (_, each) => `session ${each}`)
      const long = word.padEnd(3_000, 'x')
      for (const session of sessions) post(opening(session), say(session, 1, long))
      await network.advanceBy({ seconds: 1 })
      expect(await events('MessageReceived')).to.equal(20)
      expect(await unread()).to.equal(0)
      // So there is room for three more, which nobody asks for.
      for (const session of sessions) post(say(session, 2, long))
      await network.advanceBy({ seconds: 1 })
      expect(await events('MessageReceived')).to.equal(23)
      expect(await unread()).to.be.within(9_000, 10_000)
      await network.crash('Bob')
      await network.restart('Bob')
      for (const session of sessions) post(say(session, 3, long))
      await network.advanceBy({ seconds: 1 })
      expect(await events('MessageReceived')).to.equal(23)
      await network.advanceBy({ hours: 2 })
      expect((await network.node('Bob').flows({ status: 'running' })).items).to.have.length(0)
      const after = new NodeMetrics()
      after.watch('bob', network.node('Bob'))
      expect(await after.text()).to.contain('carillon_unread_bytes{node="bob"} 0')
    })

  it('has no more sessions for it that flows here have closed and go on after', async () => {
    await open({ sessionsPerParty: 3 })
    impersonate()
    for (let each = 0; each < 10; each++) {
      post(opening(`session ${each}`), say(`session ${each}`, 1, 'close'))
      await network.advanceBy({ seconds: 10 })
    }
    expect(await events('FlowStarted')).to.equal(3)
    expect(refusals()).to.have.length(7)
    await network.crash('Bob')
    await network.restart('Bob')
    post(opening('one too many'))
    await network.advanceBy({ seconds: 1 })
    expect(refusals()).to.have.length(8)
    // When they have ended, there is room for as many again.
    await network.advanceBy({ hours: 2 })
    for (let each = 0; each < 10; each++) post(opening(`later ${each}`))
    await network.advanceBy({ seconds: 1 })
    expect(await events('FlowStarted')).to.equal(6)
  })

  it('is told what nothing here answers, and none of it is recorded', async () => {
    await open({})
    impersonate()
    const before = (await network.inspect('Bob').log()).length
    for (let each = 0; each < 50; each++) {
      const nonce = sha256(`nobody ${each}`)
      const end = { session: sessionIdOf(network.party('Mallory').key, nonce), from: 'initiator', seq: 0 } as const
      const message =
        each % 2 === 0
          ? ({ kind: 'open', flow: 'nobody/Answers', version: 1, nonce } as const)
          : ({ kind: 'open', flow: 'budget/Pour', version: 2, nonce } as const)
      post({ kind: 'message', ...end, message })
    }
    await network.advanceBy({ seconds: 5 })
    expect((await network.inspect('Bob').log()).length).to.equal(before)
    expect(refusals()).to.have.length(50)
    expect(new Set(refusals().map(({ code }) => code))).to.deep.equal(
      new Set(['flow-unknown', 'flow-version-unsupported']),
    )
    await aliceGoesOn()
  })

  it('sends so many messages in a minute and no more, whatever they are', async () => {
    await open({ messagesPerMinute: 60 })
    impersonate()
    const before = await events('MessageReceived')
    for (let each = 0; each < 200; each++) post(message(`session ${each}`, 0))
    await network.advanceBy({ seconds: 1 })
    expect((await events('MessageReceived')) - before).to.equal(60)
    expect(refusals()).to.have.length(140)
    expect(refusals()[0]).to.include({ code: 'member-budget-exceeded' })
    expect(refusals()[0]?.retryAfterMs).to.be.within(1, 1_001)
    await network.advanceBy({ minutes: 1 })
    post(message('later', 0))
    await network.advanceBy({ seconds: 1 })
    expect((await events('MessageReceived')) - before).to.equal(61)
  })

  it('sends so many bytes in a minute and no more', async () => {
    await open({ bytesPerMinute: 100_000 })
    impersonate()
    post(message('one', 0))
    await network.advanceBy({ seconds: 1 })
    for (let seq = 2; seq < 50; seq++) post(message('one', seq, 'x'.repeat(10_000)))
    await network.advanceBy({ seconds: 1 })
    expect(await events('MessageReceived')).to.equal(10)
    expect(refusals()).to.have.length(39)
  })

  it('writes few lines into the log of another, whatever it sends, and hides no line about others', async () => {
    const lines: { readonly message: string; readonly from: unknown }[] = []
    const write = (message: string, fields: LogFields): void => void lines.push({ message, from: fields['from'] })
    await open({ sessionsPerParty: 1 }, { ...silentLogger, warn: write, error: write })
    impersonate()
    const bob = network.party('Bob').key
    const me = network.party('Mallory').key
    const endpoint = network.transport.endpoint(me)
    const foreign = sessionIdOf(network.party('Alice').key, sha256('theirs'))
    const at = (revision: number, text: string): Checkpoint =>
      signCheckpoint(
        network.strangerKey('Mallory'),
        { tick: revision, revision, hash: sha256(text), signature: '' },
        { network: network.node('Bob').network.id, range: emptyRange },
      )
    const forged = { ...at(9, ''), signature: at(10, '').signature }
    post({ kind: 'checkpoint', checkpoint: at(1_000, 'one history') })
    post(message('first', 0))
    await network.advanceBy({ seconds: 1 })
    lines.length = 0
    for (let each = 0; each < 200; each++) {
      const open = { kind: 'open', flow: 'budget/Pour', version: 1, nonce: sha256(String(each)) } as const
      endpoint.send(bob, [{ kind: 'nonsense', each } as unknown as Envelope])
      post({ kind: 'message', session: foreign, from: 'initiator', seq: 0, message: open })
      post(message(`session ${each}`, 0))
      post({ kind: 'checkpoint', checkpoint: forged }, { kind: 'checkpoint', checkpoint: at(1_000, 'another') })
      post({ kind: 'checkpoint-kept', checkpoint: forged })
    }
    await network.advanceBy({ seconds: 5 })
    expect(lines.map(({ message: line }) => line)).to.have.length.within(1, 5)
    const aboutAlice = (): number => lines.filter(({ from }) => from === network.party('Alice').key).length
    expect(aboutAlice()).to.equal(0)
    network.transport.endpoint(network.party('Alice').key).send(bob, [{ kind: 'nonsense' } as unknown as Envelope])
    await network.advanceBy({ seconds: 1 })
    expect(aboutAlice()).to.equal(1)
  })

  it('that keeps to the protocol waits for credit, and is refused nothing', async () => {
    await open({ unreadMessages: 100 })
    await aliceGoesOn()
    expect(network.node('Bob').refusedMessages).to.deep.equal({ byMe: 0, byOthers: 0 })
    expect(network.node('Alice').refusedMessages).to.deep.equal({ byMe: 0, byOthers: 0 })
  })

  it('that is slowed down loses nothing: what was refused for now comes later', async () => {
    await open({ messagesPerMinute: 40, unreadMessages: 100 })
    const { id } = await network.node('Alice').start(Pour, { to: network.party('Bob'), count: 300 })
    await network.advanceBy({ hours: 3 })
    expect(await network.node('Alice').resultOf(id)).to.equal(299)
    expect(network.node('Bob').refusedMessages.byMe).to.be.greaterThan(0)
    expect(network.node('Alice').refusedMessages.byOthers).to.be.greaterThan(0)
    const metrics = new NodeMetrics()
    metrics.watch('Bob', network.node('Bob'))
    expect(await metrics.text()).to.match(/carillon_refused_messages\{node="Bob",by="this node"\} [1-9]/)
  })
})
